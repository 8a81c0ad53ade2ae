import type { Migration } from '../engine/migration.ts'

/** The units that a version's payload did not say. Null in earlier versions: all of their units count as said. */
export const unsaidUnits: Migration = {
  number: 35,
  name: 'unsaid units',
  statements: ['alter table versions add column unsaid text'],
}
