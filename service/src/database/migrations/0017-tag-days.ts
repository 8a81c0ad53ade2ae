import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** The tags that each environment has used in its newest day, by which they are bounded. */
export const tagDays: Migration = {
  number: 17,
  name: 'tag days',
  async up({ db }) {
    const columns = 'account_id bigint not null, day text not null, tag text not null'
    await sql.raw(`create table spend_tags (${columns}, primary key (account_id, day, tag))`).execute(db)
  },
}
