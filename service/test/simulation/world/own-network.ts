import { EventEmitter } from 'node:events'
import http, { type RequestOptions } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

/** A request that waits until the scheduler decides its outcome. */
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

/** Sets the receiver of all requests of this process. */
export function receiveBy(receiver: Receive): void {
  receive = receiver
}

/** Replaces the network permanently: all requests go to the scheduler's receivers. */
export function ownNetwork(): void {
  const request = (url: URL, options: RequestOptions) => new SimulatedRequest(url, options)
  Object.assign(http, { request })
  syncBuiltinESMExports()
}

/** The part of a request that `post.ts` uses. */
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

/** An empty response body. */
async function* nothing(): AsyncGenerator<Buffer> {}
