import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Which versions an environment was answered with is found from the version, not by reading the whole call log. */
export const paidVersions: Migration = {
  number: 20,
  name: 'paid versions',
  async up({ db }) {
    await sql
      .raw('create index calls_by_version on calls (version_id, account_id) where version_id is not null')
      .execute(db)
  },
}
