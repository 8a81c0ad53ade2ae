import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * Events that a receiver did not take, each with retries of its own, and whether an endpoint keeps the order instead. Endpoints
 * that were there before keep it, and so do those that nodes of an older version make: their receivers may rely on it.
 */
export const webhookRetries: Migration = {
  number: 26,
  name: 'webhook retries',
  async up({ db, types }) {
    const statements = [
      `alter table webhooks add column ordered integer not null default 1`,
      `create table webhook_retries (
        id ${types.autoId}, webhook_id text not null, event_id text not null, event_type text not null, entity_id bigint,
        attempts integer not null, failing_since bigint not null, next_attempt_at bigint not null, parked_at bigint,
        problem text not null, unique (webhook_id, event_id))`,
      `create index webhook_retries_due on webhook_retries (webhook_id, next_attempt_at) where parked_at is null`,
      `create index webhook_retries_parked on webhook_retries (webhook_id, id) where parked_at is not null`,
      `create index webhook_retries_by_event on webhook_retries (event_id)`,
      `create index webhook_retries_by_entity on webhook_retries (entity_id) where entity_id is not null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
