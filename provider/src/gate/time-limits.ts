import { tooSlow } from '../provider-fault.ts'
import { asProvider } from './provider-in-charge.ts'

export interface Limits {
  /** Limit for one whole ask. */
  totalMs?: number
  /** Limit for the provider's own code: the time during which it neither returns nor waits for a request. */
  idleMs?: number
  /** The service's clock. It dates answers that the provider built itself. */
  now?: () => number
}

/**
 * The signal of one ask. It aborts with the caller's signal or when a limit is reached. Call `end` to clear its timers.
 */
export class AskSignal {
  readonly #provider: string
  readonly #limits: Limits
  readonly #outer: AbortSignal
  readonly #inner = new AbortController()
  readonly #total: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #waiting = 0
  #isEnded = false

  constructor(provider: string, outer: AbortSignal, limits: Limits) {
    outer.throwIfAborted()
    this.#provider = provider
    this.#limits = limits
    this.#outer = outer
    outer.addEventListener('abort', this.#passOn, { once: true })
    this.#total = this.#endAfter(limits.totalMs)
    this.#idle = this.#endAfter(limits.idleMs)
  }

  get signal(): AbortSignal {
    return this.#inner.signal
  }

  /** Rejects with the abort reason, even if the provider ignores the signal. */
  get aborted(): Promise<never> {
    const { signal } = this.#inner
    return new Promise((_resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  /** Pauses the idle limit during a request, which has limits of its own. */
  async whileWaiting<Result>(request: () => Promise<Result>): Promise<Result> {
    this.#waiting++
    clearTimeout(this.#idle)
    try {
      return await request()
    } finally {
      if (--this.#waiting === 0 && !this.#isEnded) this.#idle = this.#endAfter(this.#limits.idleMs)
    }
  }

  end(): void {
    this.#isEnded = true
    clearTimeout(this.#total)
    clearTimeout(this.#idle)
    this.#outer.removeEventListener('abort', this.#passOn)
  }

  readonly #passOn = (): void => this.#abort(this.#outer.reason)

  #endAfter(ms: number | undefined): NodeJS.Timeout | undefined {
    return ms === undefined ? undefined : setTimeout(() => this.#abort(tooSlow(this.#provider, ms)), ms)
  }

  /** The listeners belong to the provider, so their exceptions are attributed to it. */
  #abort(reason: unknown): void {
    asProvider(this.#provider, () => this.#inner.abort(reason))
  }
}
