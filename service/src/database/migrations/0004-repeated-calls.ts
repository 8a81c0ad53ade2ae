import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Calls that are refused by the thousand are counted, not kept one by one: a row may stand for more of its kind. */
export const repeatedCalls: Migration = {
  number: 4,
  name: 'repeated-calls',
  async up({ db }) {
    await sql`alter table calls add column repeats bigint`.execute(db)
  },
}
