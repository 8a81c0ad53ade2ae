import type { Migration } from '../engine/migration.ts'

/** Migrations 3 to 16. */
export const migrations3To16: readonly Migration[] = [
  /** How and from where a session was opened, and when it was last used. Older nodes continue, and sessions stay. */
  {
    number: 3,
    name: 'sessions',
    statements: ["method text not null default 'token'", 'address text', 'user_agent text', 'seen_at bigint'].map(
      (column) => `alter table sessions add column ${column}`,
    ),
  },
  /**
   * Calls that are refused in large numbers are counted, not stored one by one: a row may stand for more of its kind.
   */
  {
    number: 4,
    name: 'repeated-calls',
    statements: ['alter table calls add column repeats bigint'],
  },
  /**
   * Daily ceilings and monthly budgets. All columns are new and nullable, so that nodes of the previous release
   * continue.
   */
  {
    number: 5,
    name: 'budgets',
    statements: [
      'alter table keys add column daily_ceiling bigint',
      'alter table keys add column days_from bigint',
      'alter table environments add column monthly_budget bigint',
    ],
  },
  /**
   * Why a call that failed or asked a provider ended as it did. Stored beside the call log, so that plain answers stay
   * small.
   */
  {
    number: 6,
    name: 'call-details',
    statements({ dialect }) {
      const isPostgres = dialect.name === 'postgres'
      return [
        `create table call_details (
        request_id text not null, at bigint not null, kind text not null, identifier text, explanation text not null,
        primary key (request_id)) ${isPostgres ? 'partition by range (request_id)' : ''}`,
        ...(isPostgres ? ['create table call_details_other partition of call_details default'] : []),
        `create index call_details_by_time on call_details (at)`,
        // An erasure finds them by the requested identifier.
        `create index call_details_by_identifier on call_details (kind, identifier) where identifier is not null`,
      ]
    },
  },
  /** The caller's label for the purpose of a call. A call without a tag takes no more space than before. */
  {
    number: 7,
    name: 'spend-tags',
    statements: ['alter table calls add column tag text'],
  },
  /**
   * The remains of calls that retention removes: their number and credits per day, so that usage still adds up to the
   * ledger. Of calls removed before this table existed, the ledger knows everything but what they were about.
   */
  {
    number: 8,
    name: 'usage-days',
    statements: [
      `create table usage_days (
        day bigint not null, account_id bigint not null, key_id text not null, mode text not null, kind text not null,
        status integer not null, source text not null, tag text not null, calls bigint not null, credits bigint not null,
        primary key (day, account_id, key_id, mode, kind, status, source, tag))`,
      `insert into usage_days (day, account_id, key_id, mode, kind, status, source, tag, calls, credits)
        select at - at % 86400000, account_id, key_id, 'live', '', 200, '', '', count(*), sum(amount)
        from ledger_entries
        where kind in ('charge', 'capture') and at < coalesce((select min(at) from calls), 9007199254740991)
        group by at - at % 86400000, account_id, key_id`,
    ],
  },
  /**
   * Events for feeds and webhooks, thresholds for spending alerts, and which alerts were sent. `position` is the
   * reading order of events; it is null until the row was seen committed (see events/outbox/publish-events.ts).
   */
  {
    number: 9,
    name: 'events',
    statements: ({ types }) => [
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
    ],
  },
  /** Webhook endpoints, how far each has been notified, every attempt, and which process sends. */
  {
    number: 10,
    name: 'webhooks',
    statements: ({ types }) => [
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
    ],
  },
  /** Records that environments watch, and what their watches may spend together in a month. */
  {
    number: 11,
    name: 'watches',
    statements: [
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
    ],
  },
  /** Batches of lookups that run in the background: the questions, the progress, and the result of each row. */
  {
    number: 12,
    name: 'batches',
    statements: ({ types }) => [
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
    ],
  },
  /** The console's lists are sorted and filtered in the store: each order and filter has its index. */
  {
    number: 13,
    name: 'sorted lists',
    statements: [
      'create index projects_by_time on projects (created_at, name)',
      'create index keys_by_time on keys (created_at, id)',
      'create index keys_by_project on keys (project, created_at, id)',
      'create index keys_by_use on keys (coalesce(last_used_at, 0), id)',
      'create index suppressions_by_time on suppressions (created_at, hash)',
      'create index suppressions_by_origin on suppressions (origin, created_at, hash)',
      'create index audit_by_subject on audit (subject, id)',
      'create index audit_by_actor on audit (actor, id)',
      'create index audit_by_action on audit (action, id)',
      'create index sessions_by_time on sessions (created_at, hash)',
    ],
  },
  /**
   * Since when a batch is paused, and which pause was notified last: a pause is notified once, and is limited in time.
   */
  {
    number: 14,
    name: 'batch pauses',
    statements: [
      'alter table batches add column paused_since bigint',
      'alter table batches add column told_pause text',
    ],
  },
  /** When a name of a suppressed subject was last requested without an answer, by its keyed hash. */
  {
    number: 15,
    name: 'hidden misses',
    statements: [
      'create table hidden_misses (hash text primary key, at bigint not null)',
      'create index hidden_misses_by_time on hidden_misses (at)',
    ],
  },
  /**
   * Each lease has a fencing number, so that a node that was presumed dead and wakes up does nothing more under its old
   * lease.
   */
  {
    number: 16,
    name: 'lease numbers',
    statements: [
      'alter table batches add column lease bigint not null default 0',
      'alter table watches add column lease bigint not null default 0',
      'alter table leases add column number bigint not null default 0',
    ],
  },
]
