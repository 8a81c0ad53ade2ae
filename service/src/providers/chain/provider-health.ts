import { type FaultKind, ProviderFault } from '@vitae/provider'
import type { Clock } from '../../foundation/clock.ts'
import type { Attempt } from './ask-one-provider.ts'
import type { Log } from '../../foundation/log.ts'
import { CapReached } from '../transport/exchange.ts'

/** A provider counts as failing for this long after a fault, unless it answers before. */
const failingMs = 300_000

interface LastSeen {
  lastFault: { kind: FaultKind; at: number } | null
  lastAnswerAt: number | null
}

/** The last answer and the last fault of each provider. */
export class ProviderHealth {
  readonly #clock: Clock
  readonly #seen = new Map<string, LastSeen>()
  readonly #failing = new Map<string, { fault: ProviderFault; at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note({ provider, fault, isRefused }: Attempt): void {
    const before = this.#seen.get(provider)
    const at = this.#clock.now()
    if (!fault) this.#failing.delete(provider)
    else if (!isRefused && fault.kind !== 'invalid') this.#failing.set(provider, { fault: withoutAnswer(fault), at })
    this.#seen.set(provider, {
      lastFault: fault ? { kind: fault.kind, at } : (before?.lastFault ?? null),
      lastAnswerAt: fault ? (before?.lastAnswerAt ?? null) : at,
    })
  }

  /** The fault that a provider would presumably return now; null if it seems to be up. */
  failing(provider: string): ProviderFault | null {
    const last = this.#failing.get(provider)
    return last && this.#clock.now() - last.at < failingMs ? last.fault : null
  }

  seen(provider: string): LastSeen | null {
    return this.#seen.get(provider) ?? null
  }
}

/** A fault to remember, without its answer. */
function withoutAnswer({ kind, message, reason, retryAfterSeconds }: ProviderFault): ProviderFault {
  return new ProviderFault(kind, message, { reason, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) })
}

const everyMs = 60_000

/**
 * Reports failing providers to the operator, even while a later provider answers: at most once a minute per provider. A
 * provider that rejects our key or account is reported separately, because it keeps failing until the operator acts.
 */
export class FaultLog {
  readonly #log: Log
  readonly #clock: Clock
  readonly #reported = new Map<string, { at: number; since: number }>()

  constructor(deps: { log: Log; clock: Clock }) {
    this.#log = deps.log
    this.#clock = deps.clock
  }

  note(attempts: readonly Attempt[], requestId: string): void {
    for (const { provider, outcome, fault, answer } of attempts) {
      if (!fault || fault instanceof CapReached) continue
      const isRejected = outcome === 'rejected'
      const failed = this.#count(`${provider} ${isRejected}`)
      if (failed === null) continue
      const facts = { provider, outcome, cause: fault.reason, status: answer?.status, failed, requestId }
      if (isRejected)
        this.#log.error(facts, 'the provider rejects our key or account: check the contract and VITAE_<PROVIDER>_KEY')
      else this.#log.warn(facts, 'a provider failed (logged at most once a minute)')
    }
  }

  /** An unhandled failure in the provider's code. `what` describes it without its message. */
  noteStray(provider: string, what: string): void {
    const failed = this.#count(`${provider} stray`)
    if (failed === null) return
    this.#log.error(
      { provider, cause: what, failed },
      'the code of a provider left an unhandled failure: fix its module',
    )
  }

  /** The number of failures since the last report; null if that was less than a minute ago. */
  #count(name: string): number | null {
    const now = this.#clock.now()
    const last = this.#reported.get(name)
    if (last && Math.abs(now - last.at) < everyMs) {
      last.since++
      return null
    }
    this.#reported.set(name, { at: now, since: 0 })
    return (last?.since ?? 0) + 1
  }
}
