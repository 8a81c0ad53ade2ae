import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Which names on the suppression list belong to one subject, so that it can be let in again under all of them. */
export const suppressionSubjects: Migration = {
  number: 20,
  name: 'suppression subjects',
  async up({ db }) {
    await sql.raw('alter table suppressions add column subject text').execute(db)
    await sql.raw('create index suppressions_by_subject on suppressions (subject)').execute(db)
  },
}
