import { sql } from 'kysely'

/**
 * A column `duration_ms` in steps of at most ten percent. Counts per step can be added up over slices of a long time,
 * which percentiles themselves cannot.
 */
export const durationStep = sql<number | null>`case
  when duration_ms < 100 then cast(duration_ms as integer)
  when duration_ms < 1000 then cast(duration_ms / 10 as integer) * 10
  when duration_ms < 10000 then cast(duration_ms / 100 as integer) * 100
  else cast(duration_ms / 1000 as integer) * 1000 end`
