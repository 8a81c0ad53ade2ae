import type { Migration } from '../engine/migration.ts'

/**
 * Every minute the service reads which keys have paused watches: without an index this reads all watches, where charges
 * run.
 */
export const restingWatches: Migration = {
  number: 34,
  name: 'resting watches',
  statements: ['create index watches_paused on watches (key_id, account_id, kind, paused) where paused is not null'],
}
