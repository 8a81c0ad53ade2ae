import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Sessions that can be listed and ended, and hold no secret. The old ones had no id and no address: they end here. */
export const sessions: Migration = {
  number: 3,
  name: 'sessions',
  async up({ db }) {
    const statements = [
      `drop table sessions`,
      `create table sessions (
        id text primary key, hash text not null unique, actor text not null, role text not null, project text,
        method text not null, opened_with text not null, address text not null, user_agent text,
        created_at bigint not null, seen_at bigint not null, expires_at bigint not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
