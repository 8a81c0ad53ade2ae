import { Failure } from './foundation/failure.ts'
import type { Rate } from './foundation/rate.ts'
import type { NewsItem } from './foundation/neighbours.ts'

/** What a worker asks of the primary, which owns the embedded store, the limits and the claims. */
export type WorkerAsk =
  | { ask: 'hello' }
  | { ask: 'store'; name: string; args: unknown }
  | { ask: 'rate'; act: 'take' | 'peek' | 'giveBack'; id: string; rate: Rate }
  | { ask: 'claim'; name: string; forMs: number }
  | { ask: 'renew'; name: string; forMs: number }
  | { ask: 'giveUp'; name: string }
  | { ask: 'tell'; item: NewsItem }

/** What workers are told at their start. */
export interface Welcome {
  ownerToken: string
  secret: string
}

export type Message =
  /** A worker has opened its doors. */
  | { kind: 'listening' }
  | { kind: 'ask'; id: number; ask: WorkerAsk }
  | { kind: 'news'; id: number; item: NewsItem }
  | { kind: 'reply'; id: number; result: unknown }
  | { kind: 'reply'; id: number; failure: { code: Failure['code']; details: Failure['details'] } }
  | { kind: 'reply'; id: number; error: string }

/** A trouble in a form that can be sent. */
export function troubleReply(id: number, error: unknown): Message {
  if (error instanceof Failure) {
    return { kind: 'reply', id, failure: { code: error.code, details: { ...error.details, cause: undefined } } }
  }
  return { kind: 'reply', id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** Asks that wait for their replies over one channel. */
export class Replies {
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>()
  #lastId = 0

  ask(send: (id: number) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      this.#waiting.set(id, { resolve, reject })
      send(id)
    })
  }

  settle(reply: Extract<Message, { kind: 'reply' }>): void {
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (!waiting) return
    if ('failure' in reply) waiting.reject(new Failure(reply.failure.code, reply.failure.details))
    else if ('error' in reply) waiting.reject(new Error(reply.error))
    else waiting.resolve(reply.result)
  }

  /** Fails everything that waits, because the other side is gone. */
  abandon(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason))
    this.#waiting.clear()
  }
}
