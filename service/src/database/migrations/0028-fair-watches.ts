import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Due watches are found environment by environment. */
export const fairWatches: Migration = {
  number: 28,
  name: 'fair watches',
  async up({ db }) {
    await sql`create index watches_due_by_account on watches (account_id, next_due) where paused is null`.execute(db)
  },
}
