import type { Dispatcher } from 'undici'

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
