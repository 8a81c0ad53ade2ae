import type { Migration } from '../engine/migration.ts'

/**
 * One record from several fetches: see `records/filling`. Nodes of the previous version write versions without units
 * and know no folds.
 */
export const folds: Migration = {
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
