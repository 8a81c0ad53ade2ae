import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../../foundation/clock.ts'
import type { Store } from '../../database/store.ts'
import type { Log } from '../../foundation/log.ts'
import type { Rate } from '../../foundation/rate.ts'
import { epochKey, type WatchedRedis } from '../../cluster/redis.ts'
import type { NodeRegistry } from '../../cluster/node-registry.ts'
import { NodeShare, type Place } from './node-share.ts'
import type { RateLimiter, RateVerdict } from './rate-limiter.ts'
import type { RateReportOperations } from './rate-reports.ts'

interface Deps {
  redis: WatchedRedis | null
  nodeRegistry: NodeRegistry
  store: Pick<Store<RateReportOperations>, 'reportRates' | 'readRateReports'>
  clock: Clock
  log: Log
  instance: string
}

const waitAtMostMs = 1_500
const joinsWithinMs = 3_600_000

/*
 * A window that begins with the first call in it. Unlike the script of the library, a refused call is not counted, so that
 * what is given back can be taken again; giving back never makes a window. Nothing is counted where Redis has lost what it
 * had counted before.
 */
const countScript = (epoch: string | null) => `
${epoch === null ? '' : `if redis.call('get', '${epochKey}') ~= '${epoch}' then return redis.error_reply('another epoch') end`}
local used = tonumber(redis.call('get', KEYS[1]) or '0')
local points = tonumber(ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
if points < 0 then
  if used + points >= 0 and ttl > 0 then used = redis.call('incrby', KEYS[1], points) end
elseif used + points > tonumber(ARGV[3]) then
  used = used + points
elseif ttl > 0 then
  used = redis.call('incrby', KEYS[1], points)
else
  ttl = math.floor(tonumber(ARGV[4]) * 1000)
  used = points
  redis.call('set', KEYS[1], points, 'PX', ttl)
end
return {used, math.max(ttl, 0)}`

/** Whether limits may still be divided: a node that joins then takes a part of what the others have left. */
export function joinsDivided({ state }: NodeRegistry): boolean {
  return state.cutOffAgoMs !== null && state.cutOffAgoMs < joinsWithinMs
}

/**
 * Exact counting across nodes, in Redis. When any node loses it, every node writes down what it has let through, all
 * wait for each other, and each gives out its part of what was left: stricter, never looser, also where only one node
 * had the calls until then. Redis is relied on again when everything that it did not count is over.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #deps: Deps
  readonly #own: NodeShare
  readonly #limiters = new Map<string, RateLimiterRedis>()
  #epoch: string | null = null
  /** While the nodes agree on what is left. */
  #agreement: PromiseWithResolvers<void> | null = null
  #cutOffAt = -Infinity
  #most: Place & { at: number } = { nodes: 1, rank: 0, at: -Infinity }

  constructor(deps: Deps) {
    const { redis, nodeRegistry, clock, store } = deps
    this.#deps = deps
    this.#own = new NodeShare(clock)
    this.#noteState()
    nodeRegistry.onState(() => this.#noteState())
    nodeRegistry.onAlarm({
      heard: async () => {
        this.#agreement ??= Promise.withResolvers()
        this.#cutOffAt = clock.now()
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
    if (!(await this.#isAgreed())) return { allowed: false, limit: rate.limit, remaining: 0, resetSeconds: 1 }
    if (this.#isDivided(rate)) return this.#takePart(id, rate)
    // Counted before it is judged: a report that is written meanwhile must not miss it.
    const call = this.#own.count(id, rate)
    const counted = await this.#consume(id, rate)
    if (counted?.allowed) call.allowed(counted.state.msBeforeNext)
    else call.refused()
    return counted ? verdictOf(counted.state, rate, counted.allowed) : this.take(id, rate)
  }

  async peek(id: string, rate: Rate): Promise<RateVerdict> {
    const { redis } = this.#deps
    if (this.#isDivided(rate) || !redis) return this.#own.peek(id, rate, this.#place(rate))
    try {
      const state = await this.#limiter(redis, rate).get(id)
      if (state) return verdictOf(state, rate, state.remainingPoints > 0)
      return { allowed: true, limit: rate.limit, remaining: rate.limit, resetSeconds: Math.ceil(rate.windowMs / 1_000) }
    } catch {
      redis.lost()
      return this.#own.peek(id, rate, this.#place(rate))
    }
  }

  async giveBack(id: string, rate: Rate): Promise<void> {
    const { redis } = this.#deps
    this.#own.giveBack(id)
    if (redis?.connected)
      await this.#limiter(redis, rate)
        .reward(id)
        .catch(() => redis.lost())
  }

  /** While Redis is back but has not yet seen a whole window, both counts must have room. */
  async #takePart(id: string, rate: Rate): Promise<RateVerdict> {
    const verdict = this.#own.take(id, rate, this.#place(rate))
    if (!verdict.allowed || !this.#deps.redis?.connected) return verdict
    const counted = await this.#consume(id, rate)
    if (!counted || counted.allowed) return verdict
    this.#own.giveBack(id)
    return verdictOf(counted.state, rate, false)
  }

  /** Null where Redis could not be asked. */
  async #consume(id: string, rate: Rate): Promise<{ state: RateLimiterRes; allowed: boolean } | null> {
    const { redis } = this.#deps
    if (!redis?.connected) return null
    try {
      return { state: await this.#limiter(redis, rate).consume(id), allowed: true }
    } catch (error) {
      if (error instanceof RateLimiterRes) return { state: error, allowed: false }
      redis.lost()
      return null
    }
  }

  #isDivided({ windowMs }: Rate): boolean {
    const now = this.#deps.clock.now()
    if (!this.#deps.redis?.connected) this.#cutOffAt = now
    return now < this.#cutOffAt + windowMs
  }

  /** Lets nothing through until all nodes have agreed. Calls wait for a moment, and are then refused. */
  #agree(): void {
    this.#agreement ??= Promise.withResolvers()
    this.#deps.nodeRegistry.raise().catch((error: unknown) => {
      this.#deps.log.warn({ err: error }, 'the nodes could not agree on the limits, and will try again')
      setTimeout(() => this.#agree(), waitAtMostMs).unref()
    })
  }

  async #isAgreed(): Promise<boolean> {
    if (!this.#agreement) return true
    const timer = new AbortController()
    const late = pause(waitAtMostMs, false, { signal: timer.signal, ref: false }).catch(() => false)
    const agreed = await Promise.race([this.#agreement.promise.then(() => true), late])
    timer.abort()
    return agreed
  }

  #noteState(): void {
    const { nodeRegistry, clock } = this.#deps
    const { nodes, rank, cutOffAgoMs } = nodeRegistry.state
    const now = clock.now()
    if (cutOffAgoMs !== null) this.#cutOffAt = Math.max(this.#cutOffAt, now - cutOffAgoMs)
    if (nodes >= this.#most.nodes) this.#most = { nodes, rank, at: now }
  }

  /** Calls that a dead node let through still count: its part is free only when a whole window has passed. */
  #place({ windowMs }: Rate): Place {
    const { state } = this.#deps.nodeRegistry
    const now = this.#deps.clock.now()
    if (now >= this.#most.at + windowMs) this.#most = { nodes: state.nodes, rank: state.rank, at: now }
    const { nodes } = this.#most
    return nodes === state.nodes ? state : { nodes, rank: nodes }
  }

  #limiter(redis: WatchedRedis, rate: Rate): RateLimiterRedis {
    // The script is the client's, not the limiter's: with a new epoch all limiters are made again.
    if (redis.epoch !== this.#epoch) this.#limiters.clear()
    this.#epoch = redis.epoch
    const name = `${rate.limit}/${rate.windowMs}`
    const known = this.#limiters.get(name)
    if (known) return known
    const made = new RateLimiterRedis({
      storeClient: redis.commands,
      keyPrefix: `vitae:${this.#deps.instance}:rate:${name}`,
      points: rate.limit,
      duration: rate.windowMs / 1_000,
      customIncrTtlLuaScript: countScript(redis.epoch),
      rejectIfRedisNotReady: true,
    })
    this.#limiters.set(name, made)
    return made
  }
}

function verdictOf(state: RateLimiterRes, { limit }: Rate, allowed: boolean): RateVerdict {
  return {
    allowed,
    limit,
    remaining: Math.max(0, state.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1_000)),
  }
}
