import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Each lease has a number, so that a node which was taken for dead and wakes does nothing more under its old one. */
export const leaseNumbers: Migration = {
  number: 16,
  name: 'lease numbers',
  async up({ db }) {
    await sql.raw('alter table batches add column lease bigint not null default 0').execute(db)
    await sql.raw('alter table watches add column lease bigint not null default 0').execute(db)
    await sql.raw('alter table leases add column number bigint not null default 0').execute(db)
  },
}
