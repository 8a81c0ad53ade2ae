import type { Migration } from '../engine/migration.ts'

/** Migrations 17 to 32; the next one begins a new file. */
export const migrations17To32: readonly Migration[] = [
  /** The tags that each environment has used on its newest day; they limit the number of distinct tags. */
  {
    number: 17,
    name: 'tag days',
    statements: [
      'create table spend_tags (account_id bigint not null, day text not null, tag text not null, primary key (account_id, day, tag))',
    ],
  },
  /** The pages behind derived company ids, and the merges that environments have yet to be notified of. */
  {
    number: 18,
    name: 'company pages',
    statements: [
      'create table company_pages (company_id text primary key, slug text not null)',
      'create index company_pages_by_slug on company_pages (slug)',
      'alter table merged_entities add column kind text',
      'alter table merged_entities add column key text',
      'alter table merged_entities add column at bigint',
      // Earlier merges are not news.
      'alter table merged_entities add column notified integer not null default 1',
      'create index merged_entities_to_notify on merged_entities (id) where notified = 0',
    ],
  },
  /** The count for all nodes that a node last saw: a node that dies together with Redis leaves no report. */
  {
    number: 19,
    name: 'seen rates',
    statements: ['alter table rate_reports add column seen bigint not null default 0'],
  },
  /** Which names on the suppression list belong to one subject, so that all of them can be removed together. */
  {
    number: 20,
    name: 'suppression subjects',
    statements: [
      'alter table suppressions add column subject text',
      'create index suppressions_by_subject on suppressions (subject)',
    ],
  },
  /** The versions that an environment was served: its history shows them. */
  {
    number: 21,
    name: 'paid versions',
    statements: [
      `create table paid_versions (
        version_id bigint not null, account_id bigint not null, primary key (version_id, account_id))`,
      `insert into paid_versions (version_id, account_id)
        select distinct version_id, account_id from calls
        where version_id is not null and mode = 'live' and status = 200`,
    ],
  },
  /**
   * The table contains months and days, of keys and of environments, and its new name says so. On PostgreSQL, nodes of
   * the previous version read and write through a view with the old name, which a later migration may drop. Nothing is
   * copied.
   */
  {
    number: 22,
    name: 'spend periods',
    statements({ dialect }) {
      const statements = [
        'alter table key_months rename to spend_periods',
        'alter table spend_periods rename column month to period',
        'alter table spend_periods rename column near_told to near_notified',
        'alter table spend_periods rename column reached_told to reached_notified',
      ]
      const view = `create view key_months as select spend_id, period as month, captured, held,
      near_notified as near_told, reached_notified as reached_told from spend_periods`
      return dialect.name === 'postgres' ? [...statements, view] : statements
    },
  },
  /**
   * The providers that may answer an environment, which of them denied a record, and how many requests an answer took.
   */
  {
    number: 23,
    name: 'routes',
    statements: [
      'alter table environments add column route text',
      'alter table aliases add column denials text',
      'alter table fetches add column requests integer',
    ],
  },
  /** Price books, and the book by which a call was charged. */
  {
    number: 24,
    name: 'price books',
    statements: [
      `create table price_books (
        version bigint primary key, valid_from bigint not null, lines text not null, parts text not null,
        set_at bigint not null, actor text not null)`,
      `alter table calls add column price text`,
    ],
  },
  /** Credits granted to an environment on the 1st of each month. */
  {
    number: 25,
    name: 'recurring grants',
    statements: [
      'alter table environments add column recurring_credits bigint',
      'alter table environments add column recurring_carries integer not null default 0',
      'alter table environments add column recurring_month text',
      'alter table environments add column recurring_granted bigint not null default 0',
    ],
  },
  /**
   * Events that a receiver did not accept, each with its own retries, and whether an endpoint keeps the order instead.
   * Existing endpoints keep the order, and so do those that nodes of an older version create: their receivers may rely
   * on it.
   */
  {
    number: 26,
    name: 'webhook retries',
    statements: ({ types }) => [
      `alter table webhooks add column ordered integer not null default 1`,
      `create table webhook_retries (
        id ${types.autoId}, webhook_id text not null, event_id text not null, event_type text not null, entity_id bigint,
        attempts integer not null, failing_since bigint not null, next_attempt_at bigint not null, parked_at bigint,
        problem text not null, unique (webhook_id, event_id))`,
      `create index webhook_retries_due on webhook_retries (webhook_id, next_attempt_at) where parked_at is null`,
      `create index webhook_retries_parked on webhook_retries (webhook_id, id) where parked_at is not null`,
      `create index webhook_retries_by_event on webhook_retries (event_id)`,
      `create index webhook_retries_by_entity on webhook_retries (entity_id) where entity_id is not null`,
    ],
  },
  /** A feed is read by indexes alone: the events of an environment and of the whole service, even of one type. */
  {
    number: 27,
    name: 'feed indexes',
    statements: [
      // PostgreSQL would use it for every feed, hoping to find the right events soon.
      'drop index events_by_position',
      'create index events_by_type on events (account_id, type, position) where account_id is not null',
      'create index events_of_service on events (position) where account_id is null',
      'create index events_of_service_by_type on events (type, position) where account_id is null',
    ],
  },
  /** Due watches are found per environment. */
  {
    number: 28,
    name: 'fair watches',
    statements: ['create index watches_due_by_account on watches (account_id, next_due) where paused is null'],
  },
  /** Maps email addresses, phone numbers and whole questions to entities, by keyed hashes, never by the texts. */
  {
    number: 29,
    name: 'contact index',
    statements: [
      `create table contact_index (
        kind text not null,
        type text not null,
        value text not null,
        entity_id bigint not null,
        origin text not null,
        likelihood double precision not null,
        matched_on text not null,
        at bigint not null,
        primary key (value, entity_id)
      )`,
      'create index contact_index_by_entity on contact_index (entity_id)',
    ],
  },
  /** Calls and credits of finished days, so that monthly reports need not read every call again. */
  {
    number: 30,
    name: 'day sums',
    statements({ dialect }) {
      const clustered = dialect.name === 'sqlite' ? 'without rowid' : ''
      return [
        `create table summed_days (
        what text not null, day bigint not null, rows bigint not null, sums bigint not null, made bigint not null,
        primary key (what, day))`,
        `create table environment_days (
        day bigint not null, account_id bigint not null, mode text not null, kind text not null, status integer not null,
        source text not null, calls bigint not null, credits bigint not null, durations text not null,
        primary key (day, account_id, mode, kind, status, source)) ${clustered}`,
        `create table key_days (
        day bigint not null, account_id bigint not null, key_id text not null, mode text not null, kind text not null,
        status integer not null, source text not null, tag text not null, calls bigint not null, credits bigint not null,
        primary key (day, account_id, key_id, mode, kind, status, source, tag)) ${clustered}`,
        `create table provider_days (
        day bigint not null, provider text not null, kind text not null, outcome text not null, calls bigint not null,
        cost double precision not null, costed bigint not null, requests bigint not null,
        primary key (day, provider, kind, outcome)) ${clustered}`,
      ]
    },
  },
  /**
   * Finds the bodies that may mention somebody, for erasures: short hashes of the names in them, by fetch. A fetch
   * without a row is read instead; rows of old fetches are created in the background.
   */
  {
    number: 31,
    name: 'mentions',
    statements: ({ types, dialect }) => [
      `create table mentions (fetch_id ${dialect.name === 'postgres' ? 'bigint' : 'integer'} primary key, prints ${types.blob} not null)`,
    ],
  },
  /** Batch rows that are matches, that carry other columns, and that share one answer with others. */
  {
    number: 32,
    name: 'batch matches',
    statements: [
      'alter table batch_rows add column subject text',
      'alter table batch_rows add column names text',
      'alter table batch_rows add column question text',
      'alter table batch_rows add column columns text',
      'alter table batch_results add column detail text',
      'alter table batch_results add column likelihood double precision',
      'alter table batch_results add column matched_on text',
      'create index batch_results_request on batch_results (batch_id, request_id)',
    ],
  },
]
