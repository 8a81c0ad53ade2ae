import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/**
 * What happened, for feeds and webhooks; when to warn of spending, and what of it was said already. `position` is the
 * order in which events are read; it is null until the row has been seen committed (see events/publish-events.ts).
 */
export const events: Migration = {
  number: 9,
  name: 'events',
  async up({ db, types }) {
    const statements = [
      `create table events (
        id ${types.autoId}, public_id text not null unique, position bigint, type text not null, at bigint not null,
        account_id bigint, entity_id bigint, data text not null)`,
      `create index events_by_position on events (position)`,
      `create index events_by_account on events (account_id, position)`,
      `create index events_to_publish on events (id) where position is null`,
      `create index events_by_entity on events (entity_id) where entity_id is not null`,
      `create index events_by_time on events (at)`,
      `alter table environments add column alert_credits_below bigint`,
      `alter table environments add column alert_ceiling_percent integer`,
      `alter table environments add column low_told integer not null default 0`,
      `alter table key_months add column near_told bigint`,
      `alter table key_months add column reached_told bigint`,
      `alter table provider_states add column down_since bigint`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
