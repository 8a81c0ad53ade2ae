import type { Fault } from './fault.ts'

/** Mistakes on one of the engines. */
export const engineFaults: readonly Fault[] = [
  {
    name: 'leases on PostgreSQL are a minute shorter',
    file: 'database/postgres/postgres-dialect.ts',
    in: 'postgresDialect',
    find: 'sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`',
    replace: 'sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 - 60000 as bigint)`',
    engine: 'both',
  },
]
