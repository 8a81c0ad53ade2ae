import type { Migration } from '../engine/migration.ts'

/** The tables of the first release. */
export const first: Migration = {
  number: 1,
  name: 'first',
  statements({ types, dialect }) {
    const { blob, autoId } = types
    // A search by prefix is a range in SQLite; PostgreSQL needs this operator class for it.
    const byPrefix = dialect.name === 'postgres' ? 'text_pattern_ops' : ''
    // PostgreSQL partitions ever-growing tables by month (see partitions.ts), and needs the partition column in the
    // key.
    const isPostgres = dialect.name === 'postgres'
    const byMonth = (column: string) => (isPostgres ? `partition by range (${column})` : '')
    const others = (table: string) => (isPostgres ? [`create table ${table}_other partition of ${table} default`] : [])
    const fetchId = isPostgres ? `bigint not null default nextval('fetches_id_seq')` : autoId
    const fetchKey = isPostgres ? ', primary key (id, at)' : ''
    return [
      `create table projects (
        name text primary key, suspended integer not null default 0, billing_blocked integer not null default 0,
        created_at bigint not null)`,
      `create table environments (
        id ${autoId}, project text not null references projects(name), name text not null,
        balance bigint not null default 0, held bigint not null default 0, created_at bigint not null,
        unique (project, name))`,
      `create table keys (
        id text primary key, hash text not null unique, display text not null, project text not null,
        environment_id bigint not null references environments(id), mode text not null, label text,
        ceiling bigint, rate_limit integer, rate_window_ms integer, endpoints text, parts text, networks text,
        expires_at bigint, created_at bigint not null, last_used_at bigint, revoked_at bigint,
        spend_id text not null, rotated_from text)`,
      `create index keys_by_environment on keys (environment_id)`,
      `create table key_months (
        spend_id text not null, month text not null, captured bigint not null default 0, held bigint not null default 0,
        primary key (spend_id, month))`,
      `create table ledger_entries (
        id ${autoId}, account_id bigint not null, kind text not null, amount bigint not null, held_amount bigint,
        key_id text, spend_id text, month text, request_id text, hold_id text, reason text, actor text, at bigint not null)`,
      `create index ledger_entries_by_account on ledger_entries (account_id, id)`,
      `create index ledger_entries_by_request on ledger_entries (request_id) where request_id is not null`,
      `create table holds (
        id text primary key, account_id bigint not null, key_id text not null, spend_id text not null, month text not null,
        amount bigint not null, placed_at bigint not null, expires_at bigint not null, idempotency_hash text)`,
      `create table idempotency (
        account_id bigint not null, hash text not null, fingerprint text not null, state text not null,
        request_id text not null, version_id bigint, source text, created_at bigint not null, expires_at bigint not null,
        primary key (account_id, hash))`,
      `create index idempotency_by_expiry on idempotency (expires_at)`,
      `create table paid_records (
        account_id bigint not null, entity_id bigint not null, paid_at bigint not null, primary key (account_id, entity_id))`,
      `create table calls (
        request_id text not null, at bigint not null, mode text not null, key_id text not null, account_id bigint not null,
        kind text not null, status integer not null, code text, source text, credits bigint not null, identifier text,
        entity_id bigint, version_id bigint, fetch_id bigint, replay_of text, duration_ms double precision,
        primary key (request_id)) ${byMonth('request_id')}`,
      ...others('calls'),
      `create index calls_by_time on calls (at)`,
      `create table entities (
        id ${autoId}, kind text not null, key text not null, derived integer not null, version_id bigint, name text,
        created_at bigint not null, used_at bigint, unique (kind, key))`,
      `create index entities_by_name on entities (kind, name ${byPrefix})`,
      `create table aliases (
        kind text not null, type text not null, value text not null, entity_id bigint, withdrawn integer not null default 0,
        not_found_at bigint, seen_at bigint not null, primary key (kind, type, value))`,
      `create index aliases_by_entity on aliases (entity_id)`,
      `create table former_aliases (
        kind text not null, type text not null, value text not null, entity_id bigint not null, until bigint not null,
        primary key (kind, type, value, entity_id))`,
      `create index former_aliases_by_entity on former_aliases (entity_id)`,
      `create table merged_entities (id bigint primary key, into_id bigint not null)`,
      `create index merged_entities_by_survivor on merged_entities (into_id)`,
      `create table versions (
        id ${autoId}, entity_id bigint not null, fetch_id bigint, provider text not null, projection integer not null,
        fetched_at bigint not null, source_updated_at bigint, thin integer not null, body ${blob} not null, parts text)`,
      `create index versions_by_entity on versions (entity_id, id)`,
      `create index versions_by_fetch on versions (fetch_id)`,
      `create index versions_by_time on versions (fetched_at)`,
      ...(isPostgres ? ['create sequence fetches_id_seq'] : []),
      `create table fetches (
        id ${fetchId}, provider text not null, kind text not null, identifier text, at bigint not null, status integer,
        outcome text not null, cost double precision, payload_hash text, entity_id bigint, redacted integer not null default 0,
        duration_ms double precision${fetchKey}) ${byMonth('at')}`,
      ...(isPostgres ? ['alter sequence fetches_id_seq owned by fetches.id'] : []),
      ...others('fetches'),
      `create index fetches_by_entity on fetches (entity_id)`,
      `create index fetches_by_payload on fetches (payload_hash)`,
      `create index fetches_by_time on fetches (at)`,
      // Misses and faults may belong to no entity: an erasure finds them by the requested identifier.
      `create index fetches_by_identifier on fetches (kind, identifier)`,
      `create table payloads (hash text primary key, bytes ${blob} not null, size integer not null, at bigint not null)`,
      `create table provider_months (
        provider text not null, month text not null, calls bigint not null default 0, primary key (provider, month))`,
      `create table provider_states (provider text primary key, paused integer not null, changed_at bigint not null)`,
      `create table suppressions (
        hash text primary key, kind text not null, origin text not null, reason text, created_at bigint not null)`,
      `create table audit (
        id ${autoId}, at bigint not null, actor text not null, action text not null, subject text, reason text,
        before text, after text, previous_hash text not null, hash text not null)`,
      `create table admin_tokens (
        id text primary key, hash text not null unique, label text, role text not null, project text,
        created_at bigint not null, last_used_at bigint, revoked_at bigint)`,
      `create table sessions (
        hash text primary key, actor text not null, role text not null, project text, csrf text not null, token_id text,
        created_at bigint not null, expires_at bigint not null)`,
      `create table nodes (
        id text primary key, seen_at bigint not null, heard bigint not null,
        cut_off_at bigint not null default 0, serves integer not null)`,
      `create table rate_reports (
        node text not null, id text not null, used bigint not null, ends_at bigint not null, primary key (node, id))`,
      `create table settings (name text primary key, value text not null)`,
    ]
  },
}
