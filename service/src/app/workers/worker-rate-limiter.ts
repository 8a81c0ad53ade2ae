import type { RateLimiter, RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import type { Taken, WorkerAsk } from './messages.ts'
import type { Rate } from '../../foundation/rate.ts'

interface Primary {
  ask(ask: WorkerAsk): Promise<unknown>
  /** Grows whenever what was asked has left. */
  readonly turn: number
}

interface Group {
  /** The turn in which its question leaves: until then it may still count more. */
  turn: number
  ask: Extract<WorkerAsk, { ask: 'take' }>
  taken: Promise<Taken>
}

/**
 * The primary's limiter, as a worker sees it. Calls of one key that arrive in one turn of the event loop are one question,
 * and each has its own place in the answer: what is left is counted down call by call, as if each had asked.
 */
export class WorkerRateLimiter implements RateLimiter {
  readonly #primary: Primary
  readonly #groups = new Map<string, Group>()
  #last: Promise<unknown> | null = null

  constructor(primary: Primary) {
    this.#primary = primary
  }

  async take(id: string, rate: Rate): Promise<RateVerdict> {
    const group = this.#groupOf(id, rate)
    const place = group.ask.count++
    const { left, resetSeconds } = await group.taken
    return { allowed: place < left.length, limit: rate.limit, remaining: left[place] ?? 0, resetSeconds }
  }

  async peek(id: string, rate: Rate): Promise<RateVerdict> {
    return (await this.#primary.ask({ ask: 'rate', act: 'peek', id, rate })) as RateVerdict
  }

  async giveBack(id: string, rate: Rate): Promise<void> {
    await this.#primary.ask({ ask: 'rate', act: 'giveBack', id, rate })
  }

  counting(): Promise<unknown> | null {
    return this.#last
  }

  #groupOf(id: string, rate: Rate): Group {
    const { turn } = this.#primary
    const open = this.#groups.get(id)
    const isOpen = open?.turn === turn && open.ask.rate.limit === rate.limit && open.ask.rate.windowMs === rate.windowMs
    if (isOpen) return open
    const ask: Group['ask'] = { ask: 'take', id, rate, count: 0 }
    const taken = this.#primary.ask(ask) as Promise<Taken>
    const group = { turn, ask, taken }
    this.#groups.set(id, group)
    const last = taken
      .catch(() => undefined)
      .then(() => {
        if (this.#groups.get(id) === group) this.#groups.delete(id)
        if (this.#last === last) this.#last = null
      })
    this.#last = last
    return group
  }
}
