import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** How a session was opened, from where, and when it was last used. Older nodes go on beside it, and sessions stay. */
export const sessions: Migration = {
  number: 3,
  name: 'sessions',
  async up({ db }) {
    const columns = [`method text not null default 'token'`, 'address text', 'user_agent text', 'seen_at bigint']
    for (const column of columns) await sql.raw(`alter table sessions add column ${column}`).execute(db)
  },
}
