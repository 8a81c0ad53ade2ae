import type { RetentionRules } from '../../config/retention-config.ts'
import { dayMs } from '../../foundation/clock.ts'

/** Anything older is removed; null = nothing is. */
export type Cutoff = number | null

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
