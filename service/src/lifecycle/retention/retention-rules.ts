import type { RetentionRules } from '../../config/retention-config.ts'
import { dayMs } from '../../foundation/clock.ts'

/** What is older than this goes; null = nothing does. */
export type Cutoff = number | null

/** The moment before which something is too old. */
export function cutoff(now: number, days: number | null | undefined): Cutoff {
  return days === null || days === undefined ? null : now - days * dayMs
}

/** Whether something of that moment is too old. */
export function isOlder(at: number, before: Cutoff): boolean {
  return before !== null && at < before
}

/** The cutoffs of one provider. A limit on storage is one on raw payloads and on history too. */
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

/** Whether any provider has such a limit; without one there is nothing to look through. */
export function limits(rules: RetentionRules, limit: 'rawDays' | 'historyDays'): boolean {
  const own = Object.values(rules.perProvider)
  return [rules[limit], ...own.flatMap((one) => [one[limit], one.storeDays])].some((days) => typeof days === 'number')
}
