import { effectiveMaxAgeMs, wantsFresh } from './freshness.ts'
import type { FreshnessAsk, FreshnessPlan, FreshnessRules, KnownState } from './freshness.ts'
import { dayMs } from '../foundation/clock.ts'

const spans = [
  ['days', dayMs],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const

/** Why the freshness rule decided as it did, in a sentence for operators. */
export function explainFreshness(
  plan: FreshnessPlan,
  ask: FreshnessAsk,
  known: KnownState,
  rules: FreshnessRules,
): string {
  const copy = shownCopy(ask, known, rules)
  if (plan.action === 'serve') {
    return plan.source === 'store'
      ? copy
      : `${copy}; the provider failed for this record a moment ago and is left alone, so the stored copy stands in`
  }
  if (plan.action === 'fail') {
    return plan.code === 'not_found'
      ? `a provider did not know it ${shownAge(known.notFoundAgeMs ?? 0)} ago, which is remembered`
      : `${copy}; the caller allows stored copies only (only-if-cached)`
  }
  return `${whyFetch(ask, rules) ?? copy}; ${plan.mayFallBack ? 'should the fetch fail, the stored copy may stand in' : whyNoFallback(ask, known)}`
}

function shownCopy(ask: FreshnessAsk, { copyAgeMs }: KnownState, rules: FreshnessRules): string {
  if (copyAgeMs === null) return 'nothing is stored under this identifier'
  const allowed = shownAge(effectiveMaxAgeMs(ask.maxAgeDays, rules))
  return `the stored copy is ${shownAge(copyAgeMs)} old, and ${allowed} are allowed`
}

function whyFetch(ask: FreshnessAsk, rules: FreshnessRules): string | null {
  if (ask.bypassCache) return 'the caller wants no stored copy (bypass_cache)'
  return wantsFresh(ask, rules) ? 'the caller wants data of this moment (max_age_days=0)' : null
}

function whyNoFallback(ask: FreshnessAsk, { copyAgeMs }: KnownState): string {
  if (copyAgeMs === null || ask.bypassCache) return 'no stored copy may stand in'
  return ask.refuseStale
    ? 'the caller refuses stale copies (stale-if-error=0)'
    : 'the stored copy is too old to stand in (VITAE_STALE_MAX_DAYS)'
}

function shownAge(ms: number): string {
  const [unit, size] = spans.find(([, span]) => ms >= span) ?? ['seconds', 1_000]
  return `${Math.round((ms / size) * 10) / 10} ${unit}`
}
