import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** When a name that leads to a suppressed subject was last asked for in vain, by its keyed hash. */
export const hiddenMisses: Migration = {
  number: 15,
  name: 'hidden misses',
  async up({ db }) {
    await sql.raw('create table hidden_misses (hash text primary key, at bigint not null)').execute(db)
    await sql.raw('create index hidden_misses_by_time on hidden_misses (at)').execute(db)
  },
}
