import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * The table holds months and days, of keys and of environments: its name says so now. On PostgreSQL nodes of the version
 * before read and write through a view of the old name; a later migration may drop it. Nothing is copied.
 */
export const spendPeriods: Migration = {
  number: 22,
  name: 'spend periods',
  async up({ db, dialect }) {
    const statements = [
      'alter table key_months rename to spend_periods',
      'alter table spend_periods rename column month to period',
      'alter table spend_periods rename column near_told to near_notified',
      'alter table spend_periods rename column reached_told to reached_notified',
    ]
    const view = `create view key_months as select spend_id, period as month, captured, held,
      near_notified as near_told, reached_notified as reached_told from spend_periods`
    for (const statement of dialect === 'postgres' ? [...statements, view] : statements)
      await sql.raw(statement).execute(db)
  },
}
