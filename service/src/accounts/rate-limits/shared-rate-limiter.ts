import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../foundation/clock.ts'
import type { Store } from '../../database/store.ts'
import type { Log } from '../../foundation/log.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { WatchedRedis } from '../../cluster/redis.ts'
import { deadAfterMs, type NodeRegistry } from '../../cluster/node-registry.ts'
import { NodeShare, type Place, type Taken } from './node-share.ts'
import { resetSecondsOf, type RateLimiter, type RateVerdict } from './rate-limiter.ts'
import { RedisCounter, type Counted } from './redis-counter.ts'
import type { RateReportOperations } from './rate-reports.ts'

interface Deps {
  redis: WatchedRedis | null
  nodeRegistry: NodeRegistry
  store: Pick<Store<RateReportOperations>, 'reportRates' | 'readRateReports'>
  clock: Clock
  log: Log
  instance: string
}

const agreeAgainMs = 1_500
/** Calls wait until a node that died together with Redis counts as dead, so that the limit is not exceeded. */
const waitAtMostMs = deadAfterMs + 1_500
const joinsWithinMs = 3_600_000

/** Calls of one key that arrive in one turn of the event loop. */
interface Group {
  id: string
  rate: Rate
  calls: number
  taken: PromiseWithResolvers<Taken>
}

/** Whether limits may still be divided: a node that joins then takes a share of what the others have left. */
export function joinsDivided({ state }: NodeRegistry): boolean {
  return state.cutOffAgoMs !== null && state.cutOffAgoMs < joinsWithinMs
}

/**
 * Exact counting across nodes, in Redis. When any node loses Redis, every node stores its counts, all wait for each
 * other, and each grants its share of the remainder: stricter, never looser, even if only one node had calls until
 * then. Redis is used again once all windows that it did not count have ended.
 * Calls of one key that arrive in one turn of the event loop are counted together, and each gets its own position: the
 * first ones get what fits, and their remaining counts go down one by one.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #deps: Deps
  readonly #own: NodeShare
  readonly #counter: RedisCounter | null
  readonly #groups = new Map<string, Group>()
  #deciding: Promise<void> | null = null
  /** Set while the nodes agree on the remainder. */
  #agreement: PromiseWithResolvers<void> | null = null
  /** The last attempt to agree failed because the database could not be reached. */
  #cannotAgree = false
  #cutOffAt = -Infinity
  #most: Place & { at: number } = { nodes: 1, rank: 0, at: -Infinity }

  constructor(deps: Deps) {
    const { redis, nodeRegistry, clock, store } = deps
    this.#deps = deps
    this.#own = new NodeShare(clock)
    this.#counter = redis && new RedisCounter(redis, deps.instance)
    this.#noteState()
    nodeRegistry.onState(() => this.#noteState())
    nodeRegistry.onAlarm({
      heard: async () => {
        this.#agreement ??= Promise.withResolvers()
        this.#cutOffAt = clock.elapsed()
        await store.reportRates({ node: nodeRegistry.id, windows: this.#own.report() })
      },
      agreed: async () => {
        this.#own.divide(await store.readRateReports(null), nodeRegistry.state)
        this.#agreement?.resolve()
        this.#agreement = null
      },
    })
    redis?.onConnection((connected) => {
      if (!connected) this.#agree()
    })
    if (!redis?.connected || joinsDivided(nodeRegistry)) this.#agree()
  }

  async take(id: string, rate: Rate): Promise<RateVerdict> {
    const group = this.#groupOf(id, rate)
    const place = group.calls++
    const { granted, left, resetSeconds } = await group.taken.promise
    const after = Math.max(0, granted - place - 1)
    return { allowed: place < granted, limit: rate.limit, remaining: left + after, resetSeconds }
  }

  async peek(id: string, rate: Rate): Promise<RateVerdict> {
    const counted = this.#isDivided(rate) ? null : await this.#counter?.count(id, rate, 0)
    if (!counted) return this.#own.peek(id, rate, this.#place(rate))
    const { left, resetSeconds } = takenOf(counted, rate)
    return { allowed: left > 0, limit: rate.limit, remaining: left, resetSeconds }
  }

  async giveBack(id: string, rate: Rate): Promise<void> {
    this.#own.giveBack(id, 1)
    await this.#counter?.count(id, rate, -1)
  }

  counting(): Promise<unknown> | null {
    return this.#deciding
  }

  #groupOf(id: string, rate: Rate): Group {
    const open = this.#groups.get(id)
    if (open?.rate.limit === rate.limit && open.rate.windowMs === rate.windowMs) return open
    if (open) this.#decide(open)
    if (this.#groups.size === 0) setImmediate(() => this.#decideAll())
    const group = { id, rate, calls: 0, taken: Promise.withResolvers<Taken>() }
    this.#groups.set(id, group)
    return group
  }

  #decideAll(): void {
    const groups = [...this.#groups.values()]
    this.#groups.clear()
    for (const group of groups) this.#decide(group)
  }

  #decide({ id, rate, calls, taken }: Group): void {
    taken.resolve(this.#takeTogether(id, rate, calls))
    const decided = taken.promise.then(() => {
      if (this.#deciding === decided) this.#deciding = null
    })
    this.#deciding = decided
  }

  async #takeTogether(id: string, rate: Rate, calls: number): Promise<Taken> {
    if (this.#agreement && !(await this.#isAgreed())) return { granted: 0, left: 0, resetSeconds: 1 }
    if (!this.#counter || this.#isDivided(rate)) return this.#takePart(id, rate, calls)
    // Counted before the decision, so that a report that is written meanwhile includes them.
    const decided = this.#own.count(id, rate, calls)
    const counted = await this.#counter.count(id, rate, calls)
    decided(counted)
    return counted ? takenOf(counted, rate) : this.#takeTogether(id, rate, calls)
  }

  /** While Redis is back but has not yet seen a whole window, both counts must have room. */
  async #takePart(id: string, rate: Rate, calls: number): Promise<Taken> {
    const own = this.#own.take(id, rate, this.#place(rate), calls)
    const counted = own.granted > 0 ? await this.#counter?.count(id, rate, own.granted) : null
    if (!counted || counted.granted === own.granted) return own
    this.#own.giveBack(id, own.granted - counted.granted)
    return takenOf(counted, rate)
  }

  #isDivided({ windowMs }: Rate): boolean {
    const now = this.#deps.clock.elapsed()
    if (!this.#deps.redis?.connected) this.#cutOffAt = now
    return now < this.#cutOffAt + windowMs
  }

  /** Grants nothing until all nodes have agreed. Calls wait for that; if the database is lost too, they are refused. */
  #agree(): void {
    this.#agreement ??= Promise.withResolvers()
    const raised = this.#deps.nodeRegistry.raise()
    raised
      .then(() => (this.#cannotAgree = false))
      .catch((error: unknown) => {
        this.#cannotAgree = true
        this.#deps.log.warn({ err: error }, 'the nodes could not agree on the rate limits; retrying')
        setTimeout(() => this.#agree(), agreeAgainMs).unref()
      })
  }

  async #isAgreed(): Promise<boolean> {
    if (!this.#agreement) return true
    const timer = new AbortController()
    const late = pause(this.#cannotAgree ? agreeAgainMs : waitAtMostMs, false, {
      signal: timer.signal,
      ref: false,
    }).catch(() => false)
    const agreed = await Promise.race([this.#agreement.promise.then(() => true), late])
    timer.abort()
    return agreed
  }

  #noteState(): void {
    const { nodeRegistry, clock } = this.#deps
    const { nodes, rank, cutOffAgoMs } = nodeRegistry.state
    const now = clock.elapsed()
    if (cutOffAgoMs !== null) this.#cutOffAt = Math.max(this.#cutOffAt, now - cutOffAgoMs)
    if (nodes >= this.#most.nodes) this.#most = { nodes, rank, at: now }
  }

  /** Calls that a dead node allowed still count: its share is free only after a whole window. */
  #place({ windowMs }: Rate): Place {
    const { state } = this.#deps.nodeRegistry
    const now = this.#deps.clock.elapsed()
    if (now >= this.#most.at + windowMs) this.#most = { nodes: state.nodes, rank: state.rank, at: now }
    const { nodes } = this.#most
    return nodes === state.nodes ? state : { nodes, rank: nodes }
  }
}

function takenOf({ granted, used, endsInMs }: Counted, { limit }: Rate): Taken {
  return { granted, left: Math.max(0, limit - used), resetSeconds: resetSecondsOf(endsInMs) }
}
