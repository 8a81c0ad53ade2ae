import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { Peers } from '../../cluster/peers.ts'
import type { WatchedRedis } from '../../cluster/redis.ts'
import type { NodeRegistry } from '../../cluster/node-registry.ts'
import { KnownWindows, type Taken } from './known-windows.ts'
import { resetSecondsOf, type LimitedRate, type RateLimiter, type RateVerdict } from './rate-limiter.ts'
import { RedisCounter, type Counted } from './redis-counter.ts'
import { WindowNotices } from './window-notices.ts'

interface Deps {
  redis: WatchedRedis | null
  nodeRegistry: NodeRegistry
  peers: Pick<Peers, 'notify' | 'listen'> & { subscribed: Promise<unknown> }
  clock: Clock
  log: Log
  instance: string
}

const agreeAgainMs = 1_500
const notNow: Taken = { granted: 0, left: 0, resetSeconds: 1 }

/** Calls of one key that arrive in one turn of the event loop. */
interface Group {
  id: string
  rate: LimitedRate
  calls: number
  taken: PromiseWithResolvers<Taken>
}

/**
 * Exact counting across nodes, in Redis. When any node loses Redis, all stop counting in it. Windows that Redis counted
 * stay closed until they end, or until it answers again with all its counts. In a new window each node grants the limit
 * divided by the living nodes: stricter, never looser. Redis alone counts again once all windows that it did not count
 * have ended.
 * Calls of one key that arrive in one turn of the event loop are counted together, and each gets its own position: the
 * first ones get what fits, and their remaining counts go down one by one.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #deps: Deps
  readonly #windows: KnownWindows
  readonly #notices: WindowNotices
  readonly #counter: RedisCounter | null
  /** Calls wait until a node that died together with Redis counts as dead, so that the limit is not exceeded. */
  readonly #waitAtMostMs: number
  readonly #deadAfterMs: number
  readonly #groups = new Map<string, Group>()
  readonly #inRedis = new Set<Promise<unknown>>()
  #deciding: Promise<void> | null = null
  /** Set until all nodes have stopped counting in Redis. */
  #agreement: PromiseWithResolvers<void> | null = null
  /** The losses of Redis here, and the last one that every node has agreed on. */
  #losses = 0
  #agreedLoss = 0
  /** The last attempt to agree failed because the database could not be reached. */
  #cannotAgree = false
  #cutOffAt = -Infinity
  /** Redis has all counts of windows that began later. */
  #dataLostAt: number
  #dataName: string | null
  #beatAt = -Infinity
  /** The numbers of living nodes and this node's ranks, each with the time when it last held. */
  #places: { nodes: number; rank: number; at: number }[] = []

  constructor(deps: Deps) {
    const { redis, nodeRegistry, clock } = deps
    this.#deps = deps
    this.#deadAfterMs = nodeRegistry.deadAfterMs
    this.#waitAtMostMs = this.#deadAfterMs + agreeAgainMs
    this.#windows = new KnownWindows(clock)
    this.#notices = new WindowNotices({
      ...deps,
      onWindow: ({ id, windowMs, endsInMs }) => this.#note(id, { limit: 0, windowMs }, endsInMs),
      onMissed: () => this.#windows.miss(),
    })
    this.#counter = redis && new RedisCounter(redis, deps.instance)
    this.#noteState()
    this.#dataName = redis?.dataName ?? null
    this.#dataLostAt = this.#dataName === null ? clock.elapsed() : this.#cutOffAt
    nodeRegistry.onState(() => this.#noteState())
    nodeRegistry.onReturn(() => this.#windows.returnAfter(clock.elapsed() - this.#beatAt, this.#deadAfterMs))
    nodeRegistry.onAlarm({
      heard: async () => {
        this.#agreement ??= Promise.withResolvers()
        await Promise.all(this.#inRedis)
      },
      agreed: () => this.#agreed(),
    })
    redis?.onConnection((connected) => {
      if (!connected) return this.#agree()
      if (this.#dataName === null || redis.dataName !== this.#dataName) this.#dataLostAt = clock.elapsed()
      this.#dataName = redis.dataName
    })
    // While limits are divided, the others must first know that this node takes a part.
    if (nodeRegistry.state.cutOffAgoMs !== null) this.#windows.miss(this.#deadAfterMs)
    if (redis?.connected) void this.#readRunning()
    else this.#agree()
  }

  /** A node that starts reads the windows that run. Those that begin meanwhile are notified. */
  async #readRunning(): Promise<void> {
    const missed = this.#windows.missed
    const { state } = this.#deps.nodeRegistry
    await this.#deps.peers.subscribed
    const isRead = await this.#counter?.readRunning(({ id, windowMs, endsInMs }) =>
      this.#note(id, { limit: 0, windowMs }, endsInMs),
    )
    // While limits are divided, windows also run that Redis does not count.
    if (isRead && state.cutOffAgoMs === null && missed === this.#windows.missed) this.#windows.missNothing()
  }

  async take(id: string, rate: LimitedRate): Promise<RateVerdict> {
    const group = this.#groupOf(id, rate)
    const place = group.calls++
    const { granted, left, resetSeconds } = await group.taken.promise
    const after = Math.max(0, granted - place - 1)
    return { allowed: place < granted, limit: rate.limit, remaining: left + after, resetSeconds }
  }

  async peek(id: string, rate: LimitedRate): Promise<RateVerdict> {
    const counted = this.#isDivided(rate) ? null : await this.#counter?.count(id, rate, 0)
    const { left, resetSeconds } = counted ? takenOf(counted, rate) : this.#takePart(id, rate, 0)
    return { allowed: left > 0, limit: rate.limit, remaining: left, resetSeconds }
  }

  async giveBack(id: string, rate: LimitedRate): Promise<void> {
    this.#windows.giveBack(id, 1)
    await this.#counter?.count(id, rate, -1)
  }

  state(): { isDivided: boolean; knownForMs: number } {
    return { isDivided: this.#isDivided({ limit: 0, windowMs: 0 }), knownForMs: this.#windows.knownForMs }
  }

  counting(): Promise<unknown> | null {
    return this.#deciding
  }

  #groupOf(id: string, rate: LimitedRate): Group {
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

  async #takeTogether(id: string, rate: LimitedRate, calls: number): Promise<Taken> {
    if (this.#agreement && !(await this.#isAgreed())) return notNow
    const isCounted = this.#isCounted(rate)
    const part = this.#isDivided(rate) ? this.#takePart(id, rate, calls) : null
    if (part?.granted === 0) return part
    const asked = part?.granted ?? calls
    // While Redis is back but has not yet seen a whole window, both counts must have room.
    const counted = await this.#countInRedis(id, rate, asked)
    if (!counted && part && !isCounted) return part
    if (counted && counted.granted === part?.granted) return part
    if (part) this.#windows.giveBack(id, part.granted - (counted?.granted ?? 0))
    return counted ? takenOf(counted, rate) : this.#takeTogether(id, rate, calls)
  }

  async #countInRedis(id: string, rate: LimitedRate, calls: number): Promise<Counted | null> {
    if (!this.#counter) return null
    const counting = this.#counter.count(id, rate, calls).then((counted) => {
      if (!counted || rate.opensAtOnce) return counted
      const { endsInMs, isNew } = counted
      this.#note(id, rate, endsInMs)
      if (isNew) this.#notices.notify({ id, windowMs: rate.windowMs, endsInMs })
      return counted
    })
    this.#inRedis.add(counting)
    return counting.finally(() => this.#inRedis.delete(counting))
  }

  #note(id: string, rate: Rate, endsInMs: number): void {
    this.#windows.note(id, endsInMs, this.#isDivided(rate) ? this.#dividedUntil(rate) : -Infinity)
  }

  #takePart(id: string, rate: LimitedRate, calls: number): Taken {
    const { isWaitedFor, state } = this.#deps.nodeRegistry
    // The others may have taken over the part of a node that they presume dead.
    if (state.nodes > 1 && !isWaitedFor) return notNow
    const part = { calls: this.#partOf(rate), openUntil: this.#dividedUntil(rate), isCounted: this.#isCounted(rate) }
    return this.#windows.take(id, rate, part, calls)
  }

  /** Whether Redis answers and has the counts of every running window. */
  #isCounted({ windowMs }: Rate): boolean {
    const isComplete = this.#deps.clock.elapsed() >= this.#dataLostAt + windowMs + this.#deadAfterMs
    return isComplete && (this.#deps.redis?.connected ?? false)
  }

  #isDivided(rate: Rate): boolean {
    return this.#deps.clock.elapsed() < this.#dividedUntil(rate)
  }

  /** Another node's heartbeat reports its last time without Redis, and may be as old as that of a living node. */
  #dividedUntil({ windowMs }: Rate): number {
    if (!this.#deps.redis?.connected) this.#cutOffAt = this.#deps.clock.elapsed()
    return this.#cutOffAt + windowMs + this.#deadAfterMs
  }

  /** Grants nothing until no node counts in Redis. Calls wait for that; if the database is lost too, they are refused. */
  #agree(): void {
    this.#agreement ??= Promise.withResolvers()
    const loss = ++this.#losses
    this.#deps.nodeRegistry
      .raise()
      .then(() => {
        this.#cannotAgree = false
        this.#agreedLoss = Math.max(this.#agreedLoss, loss)
        this.#grantAgain()
      })
      .catch((error: unknown) => {
        this.#cannotAgree = true
        this.#deps.log.warn({ err: error }, 'the nodes could not agree on the rate limits; retrying')
        setTimeout(() => this.#agree(), agreeAgainMs).unref()
      })
  }

  #agreed(): void {
    const { redis, nodeRegistry } = this.#deps
    this.#notices.compare()
    // Without REDIS_URL a node alone is like the embedded engine: nobody else has counted.
    if (redis === null && nodeRegistry.state.nodes === 1) this.#windows.missNothing()
    this.#grantAgain()
  }

  /** An alarm from before a loss of Redis says nothing about it: the other nodes may still count in Redis alone. */
  #grantAgain(): void {
    if (this.#agreedLoss < this.#losses) return
    this.#agreement?.resolve()
    this.#agreement = null
  }

  async #isAgreed(): Promise<boolean> {
    if (!this.#agreement) return true
    const timer = new AbortController()
    const late = pause(this.#cannotAgree ? agreeAgainMs : this.#waitAtMostMs, false, {
      signal: timer.signal,
      ref: false,
    }).catch(() => false)
    const agreed = await Promise.race([this.#agreement.promise.then(() => true), late])
    timer.abort()
    return agreed
  }

  #noteState(): void {
    const { nodes, rank, cutOffAgoMs } = this.#deps.nodeRegistry.state
    const at = this.#deps.clock.elapsed()
    this.#beatAt = at
    if (this.#deps.redis?.connected) this.#notices.meet()
    if (cutOffAgoMs !== null) this.#cutOffAt = Math.max(this.#cutOffAt, at - cutOffAgoMs)
    const known = this.#places.find((place) => place.nodes === nodes && place.rank === rank)
    if (known) known.at = at
    else this.#places.push({ nodes, rank, at })
  }

  /**
   * The parts of all nodes add up to the limit at most: the remainder goes to the first ranks. Calls that a dead node
   * allowed still count, so its part is free only after a whole window; meanwhile nobody gets the remainder.
   */
  #partOf({ limit, windowMs }: Rate): number {
    const { state } = this.#deps.nodeRegistry
    const since = this.#deps.clock.elapsed() - windowMs
    const recent = this.#places.filter(({ at }) => at > since)
    const nodes = Math.max(state.nodes, ...recent.map((place) => place.nodes))
    const isSteady = recent.every((place) => place.nodes === nodes && place.rank === state.rank)
    return Math.floor(limit / nodes) + (isSteady && state.rank < limit % nodes ? 1 : 0)
  }
}

function takenOf({ granted, used, endsInMs }: Counted, { limit }: Rate): Taken {
  return { granted, left: Math.max(0, limit - used), resetSeconds: resetSecondsOf(endsInMs) }
}
