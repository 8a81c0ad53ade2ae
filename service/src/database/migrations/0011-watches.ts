import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Records that environments watch, and what their watches may spend together in a month. */
export const watches: Migration = {
  number: 11,
  name: 'watches',
  async up({ db }) {
    const statements = [
      `create table watches (
        id text primary key, account_id bigint not null, key_id text not null,
        kind text not null, type text not null, value text not null, entity_id bigint,
        every_days integer not null, note text, created_at bigint not null, next_due bigint not null,
        claimed_until bigint not null default 0, reserved bigint not null default 0,
        looked_at bigint, seen_at bigint, result text, paused text,
        unique (account_id, kind, type, value))`,
      `create index watches_due on watches (next_due) where paused is null`,
      `create index watches_by_entity on watches (entity_id) where entity_id is not null`,
      `create index watches_by_key on watches (key_id)`,
      `create index watches_by_interval on watches (account_id, every_days, next_due)`,
      `create table watch_budgets (
        account_id bigint primary key, max_credits bigint, month text not null, spent bigint not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
