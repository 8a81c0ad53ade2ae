import type { RawAnswer } from './provider.ts'

/**
 * The reason why a provider did not answer. The freshness rule treats all of them as outages. `rejected` (401, 402,
 * 403) needs action by the operator, so it is logged as an error, and `/readyz` and `vitae doctor` show it.
 */
export type FaultKind = 'unavailable' | 'timeout' | 'invalid' | 'rejected' | 'limited'

/** A global symbol, because an external provider module may load its own copy of this package. */
const brand = Symbol.for('vitae.provider-fault')

export class ProviderFault extends Error {
  readonly [brand] = true
  readonly kind: FaultKind
  /** The response that shows the fault, for the archive. */
  readonly answer: RawAnswer | null
  readonly retryAfterSeconds: number | null
  /**
   * A short reason to show after the provider's name: `connection refused`, `HTTP 503`. Never text from the provider.
   */
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
    // Subclasses use the ordinary `instanceof`.
    return isFault && (this === ProviderFault || Function.prototype[Symbol.hasInstance].call(this, value))
  }
}

/** The fault of a provider that exceeded any of its time limits. */
export function tooSlow(provider: string, limitMs: number): ProviderFault {
  const reason = `no answer within ${limitMs < 950 ? `${Math.round(limitMs)} ms` : `${Math.round(limitMs / 100) / 10} s`}`
  return new ProviderFault('timeout', `${provider} did not answer in time`, { reason })
}
