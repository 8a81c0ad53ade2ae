import { type FaultKind, ProviderFault } from '@vitae/provider'
import type { Clock } from '../../foundation/clock.ts'
import type { Attempt } from './ask-one-provider.ts'

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
