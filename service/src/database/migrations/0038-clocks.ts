import { sql } from 'kysely'
import type { Migration } from '../engine/migration.ts'

/**
 * Months granted by a wrong clock can be taken back. A revocation becomes a state. A key whose end has passed was
 * revoked. So was a key with a future end and no successor: only a rotation ends a key later, so a clock that was ahead
 * wrote that end. Older nodes still go by the time.
 */
export const clocks: Migration = {
  number: 38,
  name: 'clocks',
  statements: [
    'alter table keys add column revoked bigint not null default 0',
    'alter table environments add column recurring_unsure text',
  ],
  async up({ db, dialect }) {
    await sql`update keys set revoked = 1 where revoked_at is not null and (revoked_at <= ${dialect.now()}
      or not exists (select 1 from keys as successor where successor.rotated_from = keys.id))`.execute(db)
  },
}
