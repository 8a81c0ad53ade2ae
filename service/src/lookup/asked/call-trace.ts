import type { Identifier } from '../../foundation/identifier.ts'
import type { Failure, LimitMet } from '../../foundation/failure.ts'
import type { Explanation, TimedStep } from '../../records/call-details.ts'
import { ProviderFault } from '@vitae/provider'
import type { Attempt } from '../../providers/chain/ask-one-provider.ts'
import { CapReached } from '../../providers/transport/exchange.ts'
import {
  explainFreshness,
  effectiveMaxAgeMs,
  type FreshnessPlan,
  type FreshnessRules,
  type KnownState,
  type FreshnessAsk,
} from './freshness.ts'
import type { PartsAsked } from '../../records/body/record-bytes.ts'
import type { Expected } from './expectations.ts'

/** The part of a lookup that its trace needs. */
interface Traced extends Asked {
  requestId: string
  identifier: Identifier
  startedAt: number
  trace?: CallTrace
}

/** Facts about one fetch, shared by all calls that wait for it. */
export class FetchNotes {
  /** The call that makes the fetch. */
  readonly requestId: string
  attempts: readonly Attempt[] = []
  /** Monotonic time at which the last provider answered or failed; null while another node fetches. */
  answeredAt: number | null = null
  saveMs: number | null = null
  /** The answer was about a suppressed subject: even the requested identifier must not be stored. */
  isSuppressed = false

  /** No provider was asked. The attempts are the ones that an unknown name would have had. */
  isPresumed = false

  constructor(requestId: string) {
    this.requestId = requestId
  }

  presumed(attempts: readonly Attempt[]): void {
    this.isPresumed = true
    this.answered(attempts)
  }

  answered(attempts: readonly Attempt[]): void {
    this.attempts = attempts
    this.answeredAt = performance.now()
  }
}

const inMemory: Explanation['freshness'] = {
  decision: 'serve store',
  reason: 'the stored copy in memory is new enough',
  copyAgeMs: null,
  maxAgeMs: null,
}

/**
 * Facts about a call that explain it afterwards. Only cache misses and failures have a trace, so a hot answer pays
 * nothing for it.
 */
export class CallTrace {
  readonly identifier: Identifier
  readonly #lookup: Traced
  readonly #timings: Partial<Record<TimedStep, number>> = {}
  #freshness: Explanation['freshness'] = null
  #fetch: FetchNotes | null = null
  #fetchBegan = 0
  #cause: string | null = null
  #limit: LimitMet | undefined

  constructor(lookup: Traced, authorizeMs: number | null) {
    this.identifier = lookup.identifier
    this.#lookup = lookup
    if (authorizeMs !== null) this.#timings.authorize = authorizeMs
    else this.#freshness = inMemory
  }

  /** Awaits a step and records its duration, even if it fails. */
  async time<T>(step: TimedStep, work: Promise<T>): Promise<T> {
    const began = performance.now()
    if (step === 'fetch') this.#fetchBegan = began
    try {
      return await work
    } finally {
      this.#timings[step] = (this.#timings[step] ?? 0) + performance.now() - began
    }
  }

  decided(plan: FreshnessPlan, known: KnownState, rules: FreshnessRules): void {
    const ask = this.#lookup.freshness
    this.#freshness = {
      decision: plan.action === 'serve' ? `serve ${plan.source}` : plan.action,
      reason: explainFreshness(plan, ask, known, rules),
      copyAgeMs: known.copyAgeMs,
      maxAgeMs: effectiveMaxAgeMs(ask.maxAgeDays, rules),
    }
  }

  /** Records why the call failed: a provider's fault or a limit. */
  failed({ details: { cause, limit } }: Failure): void {
    if (cause instanceof ProviderFault) this.#cause = cause.reason
    this.#limit = limit
  }

  fetching(notes: FetchNotes): void {
    this.#fetch = notes
  }

  /** Whether this call, or another call that it waited for, asked a provider. */
  get asked(): boolean {
    return this.#fetch !== null
  }

  get isSuppressed(): boolean {
    return this.#fetch?.isSuppressed ?? false
  }

  /** How long this call waited for providers. */
  get providerMs(): number {
    if (!this.#fetch) return 0
    const { attempts, answeredAt } = this.#fetch
    // Another node made the fetch, so the whole wait counts.
    if (answeredAt === null) return this.#timings.fetch ?? 0
    const asking = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0)
    return Math.min(asking, Math.max(0, answeredAt - this.#fetchBegan))
  }

  /** The providers that failed and their reasons, for the log; null if none failed. */
  get blame(): { provider?: string; cause: string } | null {
    const faults = (this.#fetch?.attempts ?? []).filter(({ fault }) => fault !== null)
    if (faults.length === 0) return this.#cause === null ? null : { cause: this.#cause }
    return {
      provider: faults.map(({ provider }) => provider).join(', '),
      cause: faults.map(({ fault }) => fault?.reason).join('; '),
    }
  }

  /** The explanation in the form in which it is stored. */
  explanation(): Explanation {
    const fetch = this.#fetch
    const isOwn = fetch?.requestId === this.#lookup.requestId
    const timings = { ...this.#timings }
    if (fetch?.saveMs && isOwn && timings.fetch !== undefined) {
      timings.save = fetch.saveMs
      timings.fetch = Math.max(0, timings.fetch - fetch.saveMs)
    }
    return {
      freshness: this.#freshness,
      attempts: (fetch?.attempts ?? []).map(({ provider, outcome, fault, answer, money, durationMs }) => ({
        provider,
        outcome: fault instanceof CapReached ? 'not_asked' : outcome,
        status: answer?.status ?? null,
        cause: fault?.reason ?? null,
        // The call that made the fetch paid for it.
        cost: isOwn || money === null ? money : 0,
        durationMs: inTenths(durationMs),
      })),
      cause: fetch && fetch.attempts.length > 0 ? null : this.#cause,
      fetchedBy: fetch && !isOwn ? fetch.requestId : null,
      timings: Object.fromEntries(Object.entries(timings).map(([step, ms]) => [step, inTenths(ms)])),
      options: optionsOf(this.#lookup),
      ...(fetch?.isPresumed ? { presumed: true } : {}),
      ...(this.#limit ? { limit: this.#limit } : {}),
    }
  }
}

/** The trace of a call, created on first use. */
export function traceOf(lookup: Traced, now: number): CallTrace {
  return (lookup.trace ??= new CallTrace(lookup, now - lookup.startedAt))
}

function inTenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** The options of a call besides the record. */
interface Asked {
  freshness: FreshnessAsk
  include: PartsAsked
  fields?: readonly string[] | null
  require?: readonly string[] | null
  expect?: Expected | null
  idempotencyKey: string | null
}

/**
 * The options of a call that differ from the defaults, in the words of the parameters. Expectations and the
 * Idempotency-Key are listed without values, because these may name a person.
 */
function optionsOf({ freshness, include, fields, require, expect, idempotencyKey }: Asked): string[] {
  const { maxAgeDays, bypassCache, onlyStored, refuseStale } = freshness
  return [
    ...(include.network ? ['include_network_info=true'] : []),
    ...(include.contact ? ['include_contact_info=true'] : []),
    ...(include.verifications ? ['get_verification_details=true'] : []),
    ...(maxAgeDays === null ? [] : [`max_age_days=${maxAgeDays}`]),
    ...(bypassCache ? ['bypass_cache=true'] : []),
    ...(fields ? [`fields=${fields.join(',')}`] : []),
    ...(require ? [`require=${require.join(',')}`] : []),
    ...(expect ? Object.keys(expect).map((name) => `expect.${name}`) : []),
    ...(onlyStored ? ['only-if-cached'] : []),
    ...(refuseStale ? ['stale-if-error=0'] : []),
    ...(idempotencyKey === null ? [] : ['Idempotency-Key']),
  ]
}
