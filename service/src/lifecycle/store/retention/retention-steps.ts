import type { Dialect } from '../../../database/engine/dialect.ts'
import type { RetentionRules } from '../../../config/retention-config.ts'
import { dayMs } from '../../../foundation/clock.ts'

/** The number of expired rows of each sort. */
export interface RetentionCounts {
  payloads: number
  versions: number
  fetches: number
  entities: number
  calls: number
  misses: number
}

/** In this order: a fetch is removed only if neither its payload nor its version is stored. */
export const retentionSteps = ['payloads', 'versions', 'fetches', 'entities', 'calls', 'misses'] as const
export type RetentionStep = (typeof retentionSteps)[number]

/** All counts zero. */
export function noCounts(): RetentionCounts {
  return { payloads: 0, versions: 0, fetches: 0, entities: 0, calls: 0, misses: 0 }
}

/**
 * The arguments of one step. It processes up to `limit` rows and returns the row after which to continue, or null at
 * the end.
 */
export interface StepArgs {
  dialect: Dialect
  now: number
  rules: RetentionRules
  after: number
  limit: number
  dryRun: boolean
}

export interface StepResult {
  counts: Partial<RetentionCounts>
  next: number | null
}

/** Anything older is removed; null = nothing is. */
type Cutoff = number | null

/** The time before which data is expired. */
export function cutoff(now: number, days: number | null | undefined): Cutoff {
  return days === null || days === undefined ? null : now - days * dayMs
}

/** Whether data of that time is expired. */
export function isOlder(at: number, before: Cutoff): boolean {
  return before !== null && at < before
}

/** The cutoffs of one provider. A storage limit also limits raw payloads and history. */
export function cutoffsOf(
  now: number,
  rules: RetentionRules,
  provider: string,
): { raw: Cutoff; history: Cutoff; store: Cutoff } {
  const own = rules.perProvider[provider] ?? {}
  const store = cutoff(now, own.storeDays)
  return {
    raw: stricter(cutoff(now, own.rawDays === undefined ? rules.rawDays : own.rawDays), store),
    history: stricter(cutoff(now, own.historyDays === undefined ? rules.historyDays : own.historyDays), store),
    store,
  }
}

function stricter(a: Cutoff, b: Cutoff): Cutoff {
  if (a === null || b === null) return a ?? b
  return Math.max(a, b)
}

/** Whether any provider has such a limit; without one there is nothing to scan. */
export function limits(rules: RetentionRules, limit: 'rawDays' | 'historyDays'): boolean {
  const own = Object.values(rules.perProvider)
  return [rules[limit], ...own.flatMap((one) => [one[limit], one.storeDays])].some((days) => typeof days === 'number')
}
