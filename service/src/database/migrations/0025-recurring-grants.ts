import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Credits that an environment is granted on the 1st of each month. */
export const recurringGrants: Migration = {
  number: 25,
  name: 'recurring grants',
  async up({ db }) {
    const columns = [
      'recurring_credits bigint',
      'recurring_carries integer not null default 0',
      'recurring_month text',
      'recurring_granted bigint not null default 0',
    ]
    for (const column of columns) await sql.raw(`alter table environments add column ${column}`).execute(db)
  },
}
