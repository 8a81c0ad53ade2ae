import { EventEmitter } from 'node:events'
import http, { type RequestOptions } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

/** A request that waits for what the scheduler has its receiver do. */
export interface Posted {
  url: URL
  headers: Readonly<Record<string, string>>
  answer(status: number): void
  reset(): void
}

type Receive = (posted: Posted) => { gone(): void }

let receive: Receive = () => {
  throw new Error('nobody receives requests yet')
}

/** Who receives the requests of the process from now on. */
export function receiveBy(receiver: Receive): void {
  receive = receiver
}

/** No request leaves the process, for good: the scheduler's receivers get them. */
export function ownNetwork(): void {
  const request = (url: URL, options: RequestOptions) => new SimulatedRequest(url, options)
  Object.assign(http, { request })
  syncBuiltinESMExports()
}

/** As much of a request as `post.ts` uses. */
class SimulatedRequest extends EventEmitter {
  readonly #url: URL
  readonly #options: RequestOptions

  constructor(url: URL, options: RequestOptions) {
    super()
    this.#url = url
    this.#options = options
  }

  end(): void {
    const { headers, signal } = this.#options
    const { gone } = receive({
      url: this.#url,
      headers: headers as Record<string, string>,
      answer: (statusCode) => this.emit('response', Object.assign(nothing(), { statusCode })),
      reset: () => this.emit('error', Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' })),
    })
    signal?.addEventListener('abort', () => {
      gone()
      this.emit('error', signal.reason)
    })
  }
}

/** The bytes of an answer. */
async function* nothing(): AsyncGenerator<Buffer> {}
