import type { Migration } from '../engine/migration.ts'

/** The paths removed from an archived answer, comma-separated; and the confirmed digest of a provider file. */
export const providerFiles: Migration = {
  number: 41,
  name: 'provider files',
  statements: ['alter table fetches add column removed text', 'alter table provider_states add column confirmed text'],
}
