import { tooSlow } from '../provider-fault.ts'
import { asProvider } from './provider-in-charge.ts'

export interface Limits {
  /** For everything that one ask does. */
  totalMs?: number
  /** For the provider's own code: the time in which it neither returns nor waits for a request. */
  idleMs?: number
  /** The service's clock, which says when an answer was received that the provider made itself. */
  now?: () => number
}

/** The signal of one ask: aborted with the caller's, or when a limit is reached. Must be ended, or its timers stay. */
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

  /** Rejects at the abort with its reason, even if the code of the provider takes no notice. */
  get aborted(): Promise<never> {
    const { signal } = this.#inner
    return new Promise((_resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own, passed on as it is
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  /** While a request is on its way, its own limits count. */
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

  /** The listeners are the provider's, and so is what they throw. */
  #abort(reason: unknown): void {
    asProvider(this.#provider, () => this.#inner.abort(reason))
  }
}
