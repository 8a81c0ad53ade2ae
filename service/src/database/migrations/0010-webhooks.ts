import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Endpoints that are told of events, how far each has been told, every attempt to do so, and who is the one that sends. */
export const webhooks: Migration = {
  number: 10,
  name: 'webhooks',
  async up({ db, types }) {
    const statements = [
      `create table webhooks (
        id text primary key, project text not null references projects(name), environment_id bigint references environments(id),
        url text not null, events text not null, format text not null, secret text not null,
        previous_secret text, previous_until bigint, state text not null, position bigint not null,
        attempts integer not null, failing_since bigint, next_attempt_at bigint not null,
        problem text, created_at bigint not null)`,
      `create index webhooks_by_project on webhooks (project, id)`,
      `create table webhook_deliveries (
        id ${types.autoId}, webhook_id text not null, event_id text not null, event_type text not null, entity_id bigint,
        kind text not null, at bigint not null, attempt integer not null, outcome text not null, status integer,
        answer text not null, duration_ms integer not null)`,
      `create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id)`,
      `create index webhook_deliveries_by_event on webhook_deliveries (event_id)`,
      `create index webhook_deliveries_by_time on webhook_deliveries (at)`,
      `create index webhook_deliveries_by_entity on webhook_deliveries (entity_id) where entity_id is not null`,
      `create table leases (name text primary key, holder text not null, expires_at bigint not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
