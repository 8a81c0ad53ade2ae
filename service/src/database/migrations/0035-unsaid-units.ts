import type { Migration } from '../migration.ts'

/** The units that a version's payload did not say. Null in versions that were saved before: all of theirs count as said. */
export const unsaidUnits: Migration = {
  number: 35,
  name: 'unsaid units',
  statements: ['alter table versions add column unsaid text'],
}
