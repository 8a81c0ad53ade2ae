import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * What leads an erasure to the bodies that may mention somebody: short hashes of the names in them, by the fetch that
 * brought them. A fetch without a row is read instead; the rows of old ones are made in the background.
 */
export const mentions: Migration = {
  number: 31,
  name: 'mentions',
  async up({ db, types, dialect }) {
    const key = dialect === 'postgres' ? 'bigint primary key' : 'integer primary key'
    await sql.raw(`create table mentions (fetch_id ${key}, prints ${types.blob} not null)`).execute(db)
  },
}
