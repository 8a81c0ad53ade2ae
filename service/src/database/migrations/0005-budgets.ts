import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Daily ceilings and monthly budgets. All columns are new and may be null, so that nodes of the release before go on. */
export const budgets: Migration = {
  number: 5,
  name: 'budgets',
  async up({ db }) {
    const statements = [
      'alter table keys add column daily_ceiling bigint',
      'alter table keys add column days_from bigint',
      'alter table environments add column monthly_budget bigint',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
