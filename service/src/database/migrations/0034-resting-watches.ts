import type { Migration } from '../migration.ts'

/** Every minute it is looked up which keys have watches that rest: without an index that reads all watches, where charges run. */
export const restingWatches: Migration = {
  number: 34,
  name: 'resting watches',
  statements: ['create index watches_paused on watches (key_id, account_id, kind, paused) where paused is not null'],
}
