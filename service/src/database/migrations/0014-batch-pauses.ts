import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Since when a batch does not go on, and which pause was told last: one pause is told once, and does not last for ever. */
export const batchPauses: Migration = {
  number: 14,
  name: 'batch pauses',
  async up({ db }) {
    await sql.raw('alter table batches add column paused_since bigint').execute(db)
    await sql.raw('alter table batches add column told_pause text').execute(db)
  },
}
