import type { RawAnswer } from './provider.ts'

/**
 * Why a provider gave no answer. All of them are outages to the freshness rule; `rejected` (401, 402, 403) is
 * also the operator's to fix, so it is logged as an error and shown by `/readyz` and `vitae doctor`.
 */
export type FaultKind = 'unavailable' | 'timeout' | 'invalid' | 'rejected' | 'limited'

/** The same in every copy of this package: a module of others may have one of its own. */
const brand = Symbol.for('vitae.provider-fault')

export class ProviderFault extends Error {
  readonly [brand] = true
  readonly kind: FaultKind
  /** The answer that shows the fault, for the archive. */
  readonly answer: RawAnswer | null
  readonly retryAfterSeconds: number | null
  /** What went wrong in a few words, beside the provider's name: `connection refused`, `HTTP 503`. Words of ours only. */
  readonly reason: string

  constructor(
    kind: FaultKind,
    message: string,
    more: { answer?: RawAnswer; retryAfterSeconds?: number; reason?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'ProviderFault'
    this.kind = kind
    this.answer = more.answer ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
    this.reason = more.reason ?? message
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    const isFault = typeof value === 'object' && value !== null && brand in value
    // A subclass is told apart as any class is.
    return isFault && (this === ProviderFault || Function.prototype[Symbol.hasInstance].call(this, value))
  }
}

/** What it is called when a provider has used up its time, whichever limit that was. */
export function tooSlow(provider: string, limitMs: number): ProviderFault {
  const reason = `no answer within ${limitMs < 950 ? `${Math.round(limitMs)} ms` : `${Math.round(limitMs / 100) / 10} s`}`
  return new ProviderFault('timeout', `${provider} did not answer in time`, { reason })
}
