import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Which providers an environment may be answered by, which of them know no such record, and how many requests an answer took. */
export const routes: Migration = {
  number: 23,
  name: 'routes',
  async up({ db }) {
    const statements = [
      'alter table environments add column route text',
      'alter table aliases add column denials text',
      'alter table fetches add column requests integer',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
