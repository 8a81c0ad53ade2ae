import type { FreshnessRules, KnownState } from '../../src/lookup/asked/freshness.ts'

const hour = 3_600_000
const day = 24 * hour

/** The limits that the table assumes: the service's defaults. */
export const rules: FreshnessRules = { capMs: 7 * day, defaultMs: 7 * day, staleMaxMs: 30 * day, notFoundMs: hour }

/** The columns: values of `max_age_days`; null means absent. */
export const ages = [null, '0', '0.5', '7', '9999'] as const

/**
 * The plan for a call without `bypass_cache`. S: serve the stored copy. M: answer with the remembered miss. F: call
 * upstream, and serve the old copy in an outage. N: call upstream, and serve nothing in an outage.
 */
export type Cell = 'S' | 'M' | 'F' | 'N'

interface Row {
  known: string
  state: Omit<KnownState, 'cooling'>
  cells: string
}

const nothing = { copyAgeMs: null, notFoundAgeMs: null }

/** The freshness rule as a table for readers. */
export const table: readonly Row[] = [
  //                                                                         max_age_days:  -  0  0.5  7  9999
  { known: 'no copy', state: nothing, cells: '                                              N  N   N   N   N' },
  { known: 'a copy of two hours', state: { ...nothing, copyAgeMs: 2 * hour }, cells: '      S  F   S   S   S' },
  { known: 'a copy of one day', state: { ...nothing, copyAgeMs: day }, cells: '             S  F   F   S   S' },
  { known: 'a copy of seven days', state: { ...nothing, copyAgeMs: 7 * day }, cells: '      S  F   F   S   S' },
  { known: 'a copy of eight days', state: { ...nothing, copyAgeMs: 8 * day }, cells: '      F  F   F   F   F' },
  { known: 'a copy of 30 days', state: { ...nothing, copyAgeMs: 30 * day }, cells: '        F  F   F   F   F' },
  { known: 'a copy of 31 days', state: { ...nothing, copyAgeMs: 31 * day }, cells: '        N  N   N   N   N' },
  { known: 'a miss of ten minutes', state: { ...nothing, notFoundAgeMs: hour / 6 }, cells: 'M  N   M   M   M' },
  { known: 'a miss of one hour', state: { ...nothing, notFoundAgeMs: hour }, cells: '       N  N   N   N   N' },
]

/** One cell of the table. A bypassing call is always N. */
export function cellOf({ cells }: Row, column: number, bypass: boolean): Cell {
  const cell = cells.trim().split(/\s+/)[column]
  if (cell !== 'S' && cell !== 'M' && cell !== 'F' && cell !== 'N') throw new Error(`no such cell: ${cell}`)
  return bypass ? 'N' : cell
}
