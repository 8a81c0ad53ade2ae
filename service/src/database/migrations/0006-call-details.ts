import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Why a call that failed, or asked a provider, ended as it did. Kept beside the call log, so that plain answers stay small. */
export const callDetails: Migration = {
  number: 6,
  name: 'call-details',
  async up({ db, dialect }) {
    const isPostgres = dialect === 'postgres'
    const statements = [
      `create table call_details (
        request_id text not null, at bigint not null, kind text not null, identifier text, explanation text not null,
        primary key (request_id)) ${isPostgres ? 'partition by range (request_id)' : ''}`,
      ...(isPostgres ? ['create table call_details_other partition of call_details default'] : []),
      `create index call_details_by_time on call_details (at)`,
      // An erasure finds them by what was asked for.
      `create index call_details_by_identifier on call_details (kind, identifier) where identifier is not null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
