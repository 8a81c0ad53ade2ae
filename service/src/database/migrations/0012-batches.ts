import { sql } from 'kysely'
import type { Migration } from '../migration.ts'

/** Files of lookups that the service works through by itself: what was asked, how far it is, and how each row ended. */
export const batches: Migration = {
  number: 12,
  name: 'batches',
  async up({ db, types }) {
    const statements = [
      `create table batches (
        id ${types.autoId}, public_id text not null unique, account_id bigint not null, key_id text not null,
        mode text not null, kind text not null, name text, status text not null, options text not null,
        max_credits bigint, idempotency_hash text, digest text, total bigint not null, found bigint not null default 0,
        not_found bigint not null default 0, invalid bigint not null default 0, failed bigint not null default 0,
        credits bigint not null default 0, reason text, resume_at bigint, backoffs integer not null default 0,
        failing_since bigint, runner text, lease_until bigint not null default 0, claimed_at bigint,
        claimed_done bigint not null default 0, created_at bigint not null, started_at bigint, ended_at bigint,
        expires_at bigint)`,
      `create unique index batches_idempotency on batches (account_id, idempotency_hash)`,
      `create index batches_account on batches (account_id, id)`,
      `create index batches_status on batches (status)`,
      `create table batch_rows (
        batch_id bigint not null, number bigint not null, input text, primary key (batch_id, number))`,
      `create table batch_results (
        batch_id bigint not null, number bigint not null, status text not null, error text, source text,
        fetched_at bigint, credits bigint not null, request_id text, version_id bigint, primary key (batch_id, number))`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
