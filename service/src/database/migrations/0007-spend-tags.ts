import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** What callers say a call was for. A call without a tag takes no more room than before. */
export const spendTags: Migration = {
  number: 7,
  name: 'spend-tags',
  async up({ db }) {
    await sql`alter table calls add column tag text`.execute(db)
  },
}
