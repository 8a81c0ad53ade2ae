import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** A feed is read by indexes alone: the events of an environment and those of the whole service, also those of one type. */
export const feedIndexes: Migration = {
  number: 27,
  name: 'feed indexes',
  async up({ db }) {
    const statements = [
      // PostgreSQL would take it for every feed in the hope to meet the right events soon.
      'drop index events_by_position',
      'create index events_by_type on events (account_id, type, position) where account_id is not null',
      'create index events_of_service on events (position) where account_id is null',
      'create index events_of_service_by_type on events (type, position) where account_id is null',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
