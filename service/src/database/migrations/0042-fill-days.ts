import type { Migration } from '../engine/migration.ts'

/** How often each unit of a record had a value in the answers of a provider, by UTC day: about nobody. */
export const fillDays: Migration = {
  number: 42,
  name: 'fill days',
  statements: ({ dialect }) => [
    `create table fill_days (
      day bigint not null, provider text not null, kind text not null, answers bigint not null, filled text not null,
      drifted text, primary key (day, provider, kind)) ${dialect.name === 'sqlite' ? 'without rowid' : ''}`,
  ],
}
