import type { Migration } from '../migration.ts'

/**
 * What was cut from an archived answer, comma-separated paths; and the requests and verdicts of a provider file that an operator
 * has confirmed, by their digest.
 */
export const providerFiles: Migration = {
  number: 41,
  name: 'provider files',
  statements: ['alter table fetches add column removed text', 'alter table provider_states add column confirmed text'],
}
