import { sql } from 'kysely'
import type { Migration } from '../engine/migration.ts'

/**
 * The window of a key's rate limit may be 31 days, and 32 bits hold less than 25 days in milliseconds. SQLite's
 * integers have 64 bits. Older nodes use the column as before.
 */
const longWindows: Migration = {
  number: 33,
  name: 'long windows',
  async up({ db, dialect }) {
    if (dialect.name === 'postgres') await sql`alter table keys alter column rate_window_ms type bigint`.execute(db)
  },
}

/**
 * Every minute the service reads which keys have paused watches: without an index this reads all watches, where charges
 * run.
 */
const restingWatches: Migration = {
  number: 34,
  name: 'resting watches',
  statements: ['create index watches_paused on watches (key_id, account_id, kind, paused) where paused is not null'],
}

/** The units that a version's payload did not say. Null in earlier versions: all of their units count as said. */
const unsaidUnits: Migration = {
  number: 35,
  name: 'unsaid units',
  statements: ['alter table versions add column unsaid text'],
}

/**
 * One record from several fetches: see `records/filling`. Nodes of the previous version write versions without units
 * and know no folds.
 */
const folds: Migration = {
  number: 36,
  name: 'folds',
  statements: ({ types }) => [
    'alter table versions add column units text',
    'alter table entities add column fold_id bigint',
    `create table folds (id ${types.autoId}, version_id bigint not null, units text not null)`,
    'create index folds_by_version on folds (version_id)',
    'alter table calls add column fold_id bigint',
    'alter table idempotency add column fold_id bigint',
    'alter table batch_results add column fold_id bigint',
  ],
}

/** Entities that an operator has split: the mark keeps them apart, and records who must still be notified. */
const recordSplits: Migration = {
  number: 37,
  name: 'record splits',
  statements: [
    `create table record_splits (
      entity_id bigint not null, apart_id bigint not null, kind text not null, at bigint not null,
      notified integer not null default 0, primary key (entity_id, apart_id))`,
    'create index record_splits_by_apart on record_splits (apart_id)',
    'create index record_splits_to_notify on record_splits (at) where notified = 0',
  ],
}

/**
 * Months granted by a wrong clock can be taken back. A revocation becomes a state. A key whose end has passed was
 * revoked. So was a key with a future end and no successor: only a rotation ends a key later, so a clock that was ahead
 * wrote that end. Older nodes still go by the time.
 */
const clocks: Migration = {
  number: 38,
  name: 'clocks',
  statements: [
    'alter table keys add column revoked bigint not null default 0',
    'alter table environments add column recurring_unsure text',
  ],
  async up({ db, dialect }) {
    await sql`update keys set revoked = 1 where revoked_at is not null and (revoked_at <= ${dialect.now()}
      or not exists (select 1 from keys as successor where successor.rotated_from = keys.id))`.execute(db)
  },
}

/** Statements of closed months, and the remains of calls that retention removed before their month was closed. */
const statements: Migration = {
  number: 39,
  name: 'statements',
  statements: [
    `create table statements (
      account_id bigint not null, month text not null, body text not null, digest text not null,
      last_entry bigint not null, closed_at bigint not null, primary key (account_id, month))`,
    `create table statement_sums (
      account_id bigint not null, month text not null, what text not null, name text not null, each bigint not null,
      kind text not null, source text not null, tag text not null, calls bigint not null, amount bigint not null,
      primary key (account_id, month, what, name, each, kind, source, tag))`,
  ],
}

/**
 * Which environment received which record under which key, for as long as the environment exists. An older store is
 * filled from its call log and its paid versions.
 */
const recipients: Migration = {
  number: 40,
  name: 'recipients',
  statements: [
    `create table recipients (
      entity_id bigint not null, account_id bigint not null, kind text not null, key text not null,
      primary key (entity_id, account_id, key))`,
    'create index recipients_by_key on recipients (kind, key)',
    'create index recipients_by_account on recipients (account_id, key)',
    `insert into recipients (entity_id, account_id, kind, key)
      select distinct entities.id, paid_versions.account_id, entities.kind, entities.key
      from paid_versions join versions on versions.id = paid_versions.version_id
        join entities on entities.id = versions.entity_id
      union
      select coalesce(gone.into_id, entities.id), calls.account_id, calls.kind, coalesce(entities.key, gone.key)
      from calls left join entities on entities.id = calls.entity_id
        left join merged_entities as gone on gone.id = calls.entity_id
      where calls.mode = 'live' and calls.status = 200 and coalesce(entities.key, gone.key) is not null`,
    'create index events_of_keys on events (at) where type in ($types)',
  ].map((text) => text.replace('$types', "'record.merged', 'record.split', 'record.purged', 'record.erased'")),
}

/** The paths removed from an archived answer, comma-separated; and the confirmed digest of a provider file. */
const providerFiles: Migration = {
  number: 41,
  name: 'provider files',
  statements: ['alter table fetches add column removed text', 'alter table provider_states add column confirmed text'],
}

/** How often each unit of a record had a value in the answers of a provider, by UTC day: about nobody. */
const fillDays: Migration = {
  number: 42,
  name: 'fill days',
  statements: ({ dialect }) => [
    `create table fill_days (
      day bigint not null, provider text not null, kind text not null, answers bigint not null, filled text not null,
      drifted text, primary key (day, provider, kind)) ${dialect.name === 'sqlite' ? 'without rowid' : ''}`,
  ],
}

export const migrations33To42: readonly Migration[] = [
  longWindows,
  restingWatches,
  unsaidUnits,
  folds,
  recordSplits,
  clocks,
  statements,
  recipients,
  providerFiles,
  fillDays,
]
