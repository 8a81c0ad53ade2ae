import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Which versions an environment was answered with: what its history shows. */
export const paidVersions: Migration = {
  number: 21,
  name: 'paid versions',
  async up({ db }) {
    const statements = [
      `create table paid_versions (
        version_id bigint not null, account_id bigint not null, primary key (version_id, account_id))`,
      `insert into paid_versions (version_id, account_id)
        select distinct version_id, account_id from calls
        where version_id is not null and mode = 'live' and status = 200`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
