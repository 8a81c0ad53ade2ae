import type { Dispatcher } from 'undici'
import { ProviderFault } from '@vitae/provider'

/** An answer as received, before decompression. */
export interface Received {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

export interface Bounds {
  limitMs: number
  maxBytes: number
  signal: AbortSignal
  tooLate: () => Error
  tooLarge: () => Error
}

/**
 * Sends one request and returns its whole answer, within the bounds. It uses the client's callbacks: a stream and an
 * iterator would add half of the exchange's cost.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  bounds: Bounds,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    bounds.signal.throwIfAborted()
    dispatcher.dispatch(request, new Listener(bounds, resolve, reject))
  })
}

class Listener implements Dispatcher.DispatchHandler {
  readonly #bounds: Bounds
  readonly #resolve: (received: Received) => void
  readonly #reject: (reason: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #leave = () => this.#end(this.#bounds.signal.reason)
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #status = 0
  #headers: Record<string, string> = {}
  #controller: Dispatcher.DispatchController | null = null
  /** Why we aborted the exchange, if we did. */
  #reason: Error | null = null

  constructor(bounds: Bounds, resolve: (received: Received) => void, reject: (reason: unknown) => void) {
    this.#bounds = bounds
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = setTimeout(() => this.#end(bounds.tooLate()), bounds.limitMs)
    bounds.signal.addEventListener('abort', this.#leave, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It waited for a connection longer than the limit.
    if (this.#reason) controller.abort(this.#reason)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // A status below 200 only announces the answer.
    if (status < 200) return
    this.#status = status
    for (const name in headers) {
      const value = headers[name]
      this.#headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#size += chunk.length
    if (this.#size > this.#bounds.maxBytes) this.#end(this.#bounds.tooLarge())
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#stopWaiting()
    this.#resolve({ status: this.#status, headers: this.#headers, body: joined(this.#chunks, this.#size) })
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#stopWaiting()
    this.#reject(error)
  }

  /** Ends it for the caller at once, whatever the connection does. */
  #end(reason: Error): void {
    if (this.#reason) return
    this.#reason = reason
    this.#stopWaiting()
    this.#reject(reason)
    this.#controller?.abort(reason)
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    this.#bounds.signal.removeEventListener('abort', this.#leave)
  }
}

type Headers = Record<string, string | string[] | undefined>

/** A copy, because the chunks are views of the connection's buffer. */
function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const perUnit = 1_000_000

/** Why a provider was not asked, or not asked again. */
const overTheCap = 'another request would exceed VITAE_MAX_COST_PER_CALL'

/** The provider's price exceeds what is left of the call's cost limit, so it was not asked. */
export class CapReached extends ProviderFault {
  constructor(provider: string) {
    super('unavailable', `${provider} was not asked: ${overTheCap}`, { reason: overTheCap })
  }
}

/** The billable requests of one provider in one ask. */
export interface Meter {
  /** Whether another request fits the call's cost limit. */
  fits(): boolean
  /** Call it before a request is sent. */
  count(): void
  /** Call it if the result shows that the request is not billed. */
  giveBack(): void
  readonly requests: number
}

/**
 * The cost of one call over all providers and retries. A request counts before it is sent, because an interrupted one
 * may be billed too. Kept in whole millionths, like prices.
 */
export class CallCost {
  readonly #cap: number
  #spent = 0

  /** `cap` is in the currency of the prices; null = no limit. */
  constructor(cap: number | null) {
    this.#cap = cap === null ? Infinity : Math.round(cap * perUnit)
  }

  /** A meter for one provider; without a price it costs nothing. */
  meter(price: number | null): Meter {
    const each = Math.round((price ?? 0) * perUnit)
    let requests = 0
    return {
      fits: () => this.#spent + each <= this.#cap,
      count: () => {
        requests += 1
        this.#spent += each
      },
      giveBack: () => {
        requests -= 1
        this.#spent -= each
      },
      get requests() {
        return requests
      },
    }
  }
}

/** Whether one more call may be made. */
export type Spending = 'ok' | 'spent' | 'paused'

/** The operator's limits, checked once per ask before the provider is called. */
export interface Budget {
  spend(provider: string, at: number): Promise<Spending>
  /** The result that `spend` would return, without counting. */
  peek(provider: string, at: number): Promise<Spending>
}

/** The fault for a call that the operator's limits refuse; null if the call is allowed. */
export function refusalOf(provider: string, spending: Spending): ProviderFault | null {
  if (spending === 'ok') return null
  const why = spending === 'paused' ? 'is paused' : 'has no calls left this month'
  return new ProviderFault('unavailable', `${provider} ${why}`, { retryAfterSeconds: 60 })
}
