import type { Migration } from '../engine/migration.ts'

/** Entities that an operator has split: the mark keeps them apart, and records who must still be notified. */
export const recordSplits: Migration = {
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
