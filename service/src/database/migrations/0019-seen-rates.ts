import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** What a node last saw counted for all nodes: a node that dies with Redis leaves no report of its own. */
export const seenRates: Migration = {
  number: 19,
  name: 'seen rates',
  async up({ db }) {
    await sql.raw('alter table rate_reports add column seen bigint not null default 0').execute(db)
  },
}
