import { sql } from 'kysely'
import type { Migration } from '../engine/migration.ts'

/**
 * The window of a key's rate limit may be 31 days, and 32 bits hold less than 25 days in milliseconds. SQLite's
 * integers have 64 bits. Older nodes use the column as before.
 */
export const longWindows: Migration = {
  number: 33,
  name: 'long windows',
  async up({ db, dialect }) {
    if (dialect.name === 'postgres') await sql`alter table keys alter column rate_window_ms type bigint`.execute(db)
  },
}
