import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Clock } from '../foundation/clock.ts'
import type { Rate } from '../foundation/rate.ts'
import type { WatchedRedis } from '../foundation/redis.ts'
import { LocalRateLimiter, type RateLimiter, type RateVerdict } from './rate-limiter.ts'

interface Needs {
  redis: WatchedRedis | null
  clock: Clock
  instance: string
  /** How many nodes are alive, by their heartbeats in the database. */
  nodes(): number
}

/**
 * Exact counting across nodes, in Redis. Each node also counts its own calls; when Redis is lost, every window that
 * runs then, and every one that begins before it is back, is held to this node's share of the limit. What was
 * taken before the loss is in that count, so all nodes together never pass the limit: stricter, never looser.
 */
export class SharedRateLimiter implements RateLimiter {
  readonly #needs: Needs
  readonly #own: LocalRateLimiter
  readonly #limiters = new Map<string, RateLimiterRedis>()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#own = new LocalRateLimiter(needs.clock)
    needs.redis?.onConnection((connected) => {
      if (!connected) this.#own.shareAll()
    })
  }

  async take(id: string, rate: Rate): Promise<RateVerdict> {
    const { redis } = this.#needs
    const connected = redis?.connected ?? false
    const own = this.#own.takeShare(id, rate, this.#share(rate), connected)
    if (own.shared || !redis || !connected) return own.verdict
    try {
      return verdictOf(await this.#limiter(redis, rate).consume(id), rate, true)
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return verdictOf(refusal, rate, false)
      redis.lost()
      this.#own.shareAll()
      return this.#own.judgeTaken(id, rate, this.#share(rate))
    }
  }

  async peek(id: string, rate: Rate): Promise<RateVerdict> {
    const { redis } = this.#needs
    try {
      const state = redis?.connected ? await this.#limiter(redis, rate).get(id) : null
      if (state) return verdictOf(state, rate, state.remainingPoints > 0)
    } catch {
      redis?.lost()
    }
    return this.#own.peek(id, rate)
  }

  async giveBack(id: string, rate: Rate): Promise<void> {
    const { redis } = this.#needs
    this.#own.giveBack(id)
    if (redis?.connected)
      await this.#limiter(redis, rate)
        .reward(id)
        .catch(() => redis.lost())
  }

  #share({ limit }: Rate): number {
    return Math.max(1, Math.floor(limit / Math.max(1, this.#needs.nodes())))
  }

  #limiter(redis: WatchedRedis, rate: Rate): RateLimiterRedis {
    const name = `${rate.limit}/${rate.windowMs}`
    const known = this.#limiters.get(name)
    if (known) return known
    const made = new RateLimiterRedis({
      storeClient: redis.commands,
      keyPrefix: `vitae:${this.#needs.instance}:rate:${name}`,
      points: rate.limit,
      duration: rate.windowMs / 1_000,
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
