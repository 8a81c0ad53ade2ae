import { createHash } from 'node:crypto'
import { Cluster } from 'ioredis'
import type { BegunWindow } from '../../cluster/peers.ts'
import { epochKey, type WatchedRedis } from '../../cluster/redis.ts'
import type { Rate } from '../../foundation/rate.ts'

/** The shared window after calls were counted. */
export interface Counted {
  /** How many of the calls fit. */
  granted: number
  used: number
  endsInMs: number
  /** These calls began the window. */
  isNew: boolean
}

/*
 * A window begins with its first call. It counts as many calls as fit. A negative number returns calls and never
 * creates a window; 0 only reads. Nothing is counted if Redis has lost its earlier counts.
 */
const script = `
if ARGV[4] ~= '' and redis.call('get', '${epochKey}') ~= ARGV[4] then return redis.error_reply('another epoch') end
local calls, limit, ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), redis.call('pttl', KEYS[1])
local used = ttl > 0 and tonumber(redis.call('get', KEYS[1])) or 0
local isNew = 0
local granted = calls < 0 and math.max(calls, -used) or math.min(calls, math.max(0, limit - used))
if ttl <= 0 then
  ttl = tonumber(ARGV[3])
  if granted > 0 then
    redis.call('set', KEYS[1], granted, 'PX', ttl)
    isNew = 1
  end
elseif granted ~= 0 then
  redis.call('incrby', KEYS[1], granted)
end
return {granted, used + granted, ttl, isNew}`
const scriptHash = createHash('sha1').update(script).digest('hex')

/** Counts calls in Redis, in one round trip per group. */
export class RedisCounter {
  readonly #redis: WatchedRedis
  readonly #prefix: string

  constructor(redis: WatchedRedis, instance: string) {
    this.#redis = redis
    this.#prefix = `vitae:${instance}:rate:`
  }

  /** Null if Redis did not answer: then it counts as lost. */
  async count(id: string, { limit, windowMs }: Rate, calls: number): Promise<Counted | null> {
    const { connected, epoch } = this.#redis
    if (!connected) return null
    try {
      const key = `${this.#prefix}${limit}/${windowMs}:${id}`
      const [granted = 0, used = 0, endsInMs = 0, isNew] = await this.#run(key, calls, limit, windowMs, epoch ?? '')
      return { granted, used, endsInMs, isNew: isNew === 1 }
    } catch {
      this.#redis.lost()
      return null
    }
  }

  /**
   * Calls `onWindow` with every running window; false if not all could be read. Members of a cluster would have to be
   * read one by one.
   */
  async readRunning(onWindow: (window: BegunWindow) => void): Promise<boolean> {
    const { commands } = this.#redis
    if (commands instanceof Cluster) return false
    try {
      for (let cursor = ''; cursor !== '0';) {
        const [next, keys] = await commands.scan(cursor || '0', 'MATCH', `${this.#prefix}*`, 'COUNT', 1_000)
        const ends = await Promise.all(keys.map((key) => commands.pttl(key)))
        for (const [index, key] of keys.entries()) {
          const [, windowMs, id] = /^\d+\/(\d+):(.*)$/s.exec(key.slice(this.#prefix.length)) ?? []
          const endsInMs = ends[index] ?? 0
          if (id !== undefined && endsInMs > 0) onWindow({ id, windowMs: Number(windowMs), endsInMs })
        }
        cursor = next
      }
      return true
    } catch {
      return false
    }
  }

  /** The script is sent only to a Redis that does not have it. */
  async #run(...given: (string | number)[]): Promise<number[]> {
    const { commands } = this.#redis
    try {
      return (await commands.evalsha(scriptHash, 1, ...given)) as number[]
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return (await commands.eval(script, 1, ...given)) as number[]
    }
  }
}
