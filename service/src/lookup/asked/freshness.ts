import { dayMs, type Clock } from '../../foundation/clock.ts'
import { LRUCache } from 'lru-cache'

/** The configured limits of the freshness rule, in milliseconds. */
export interface FreshnessRules {
  capMs: number
  defaultMs: number
  staleMaxMs: number
  notFoundMs: number
}

/** The freshness that a caller asks for. */
export interface FreshnessAsk {
  maxAgeDays: number | null
  bypassCache: boolean
  /** `Cache-Control: only-if-cached` */
  onlyStored: boolean
  /** `Cache-Control: stale-if-error=0` */
  refuseStale: boolean
}

/** Ages in milliseconds of the stored copy and the remembered miss; null = none. */
export interface KnownState {
  copyAgeMs: number | null
  notFoundAgeMs: number | null
  /** The provider failed for this record recently, so it is not asked until the cooldown ends. */
  cooling: boolean
}

export type FreshnessPlan =
  | { action: 'serve'; source: 'store' | 'stale_fallback' }
  | { action: 'fetch'; mayFallBack: boolean }
  | { action: 'fail'; code: 'not_found' | 'not_stored' }

/** The maximum age of a stored copy: the caller's choice, at most the cap. */
export function effectiveMaxAgeMs(maxAgeDays: number | null, rules: FreshnessRules): number {
  const asked = maxAgeDays === null ? rules.defaultMs : maxAgeDays * dayMs
  return Math.min(asked, rules.capMs)
}

/** True if no stored copy is fresh enough. Only `bypassCache` asks the provider to skip its own cache too. */
export function wantsFresh(ask: Pick<FreshnessAsk, 'maxAgeDays' | 'bypassCache'>, rules: FreshnessRules): boolean {
  return ask.bypassCache || effectiveMaxAgeMs(ask.maxAgeDays, rules) === 0
}

/** The freshness rule: serve, fetch or fail, and whether a stale copy may be served if the fetch fails. */
export function planFreshness(ask: FreshnessAsk, known: KnownState, rules: FreshnessRules): FreshnessPlan {
  const maxAgeMs = effectiveMaxAgeMs(ask.maxAgeDays, rules)
  const fresh = wantsFresh(ask, rules)
  const copyFits = known.copyAgeMs !== null && !fresh && known.copyAgeMs <= maxAgeMs
  if (copyFits) return { action: 'serve', source: 'store' }
  const missRemembered = known.notFoundAgeMs !== null && known.notFoundAgeMs < rules.notFoundMs
  if (missRemembered && !fresh) return { action: 'fail', code: 'not_found' }
  if (ask.onlyStored) return { action: 'fail', code: 'not_stored' }
  const mayFallBack =
    known.copyAgeMs !== null && known.copyAgeMs <= rules.staleMaxMs && !ask.bypassCache && !ask.refuseStale
  if (known.cooling && mayFallBack) return { action: 'serve', source: 'stale_fallback' }
  return { action: 'fetch', mayFallBack }
}

const spans = [
  ['days', dayMs],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const

/** Explains the freshness decision in one sentence for operators. */
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
      : `${copy}; the provider failed for this record a moment ago and is in cooldown, so the stored copy is served`
  }
  if (plan.action === 'fail') {
    return plan.code === 'not_found'
      ? `a provider had no such record ${shownAge(known.notFoundAgeMs ?? 0)} ago, and that answer is cached`
      : `${copy}; the caller allows stored copies only (only-if-cached)`
  }
  return `${whyFetch(ask, rules) ?? copy}; ${plan.mayFallBack ? 'if the fetch fails, the stored copy may be served' : whyNoFallback(ask, known)}`
}

function shownCopy(ask: FreshnessAsk, { copyAgeMs }: KnownState, rules: FreshnessRules): string {
  if (copyAgeMs === null) return 'nothing is stored under this identifier'
  const allowed = shownAge(effectiveMaxAgeMs(ask.maxAgeDays, rules))
  return `the stored copy is ${shownAge(copyAgeMs)} old, and ${allowed} are allowed`
}

function whyFetch(ask: FreshnessAsk, rules: FreshnessRules): string | null {
  if (ask.bypassCache) return 'the caller wants no stored copy (bypass_cache)'
  return wantsFresh(ask, rules) ? 'the caller wants live data (max_age_days=0)' : null
}

function whyNoFallback(ask: FreshnessAsk, { copyAgeMs }: KnownState): string {
  if (copyAgeMs === null || ask.bypassCache) return 'no stored copy may be served'
  return ask.refuseStale
    ? 'the caller refuses stale copies (stale-if-error=0)'
    : 'the stored copy is older than VITAE_STALE_MAX_DAYS'
}

function shownAge(ms: number): string {
  const [unit, size] = spans.find(([, span]) => ms >= span) ?? ['seconds', 1_000]
  return `${Math.round((ms / size) * 10) / 10} ${unit}`
}

/**
 * Records whose provider failed recently. While a stale copy can be served, the provider is not asked again until the
 * cooldown ends.
 */
export class Cooldowns {
  readonly #until = new LRUCache<string, number>({ maxSize: 100_000, sizeCalculation: () => 1 })
  readonly #clock: Clock
  readonly #lengthMs: number

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock
    this.#lengthMs = lengthMs
  }

  start(name: string): void {
    if (this.#lengthMs > 0) this.#until.set(name, this.#clock.elapsed() + this.#lengthMs)
  }

  isCooling(name: string): boolean {
    const until = this.#until.get(name)
    return until !== undefined && this.#clock.elapsed() < until
  }

  end(name: string): void {
    this.#until.delete(name)
  }
}
