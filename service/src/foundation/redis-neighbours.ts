import { randomUUID } from 'node:crypto'
import type { Neighbours, NewsItem } from './neighbours.ts'
import type { WatchedRedis } from './redis.ts'

// Deletes a claim only if it is still ours: it may have expired and belong to someone else by now.
const giveUpScript = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

/** The other nodes, reached through Redis. `instance` keeps services on different databases apart. */
export function redisNeighbours(redis: WatchedRedis, instance: string): Neighbours {
  const self = randomUUID()
  const channel = `vitae:${instance}:news`
  const claimKey = (name: string) => `vitae:{${instance}:${name}}:claim`
  const listeners: ((item: NewsItem) => void)[] = []

  redis.subscriber.on('message', (_channel: string, text: string) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `tell` of another node
    const message = JSON.parse(text) as { from: string; item: NewsItem }
    if (message.from === self) return
    for (const listener of listeners) listener(message.item)
  })
  const subscribe = () => void redis.subscriber.subscribe(channel).catch(() => undefined)
  redis.subscriber.on('ready', subscribe)
  if (redis.subscriber.status === 'ready') subscribe()

  return {
    get connected() {
      return redis.connected
    },
    listen: (listener) => void listeners.push(listener),
    onConnection: (listener) => redis.onConnection(listener),
    async tell(item) {
      if (!redis.connected) return
      await redis.commands.publish(channel, JSON.stringify({ from: self, item })).catch(() => redis.lost())
    },
    async claim(name, forMs) {
      if (!redis.connected) return true
      try {
        return (await redis.commands.set(claimKey(name), self, 'PX', forMs, 'NX')) === 'OK'
      } catch {
        redis.lost()
        return true
      }
    },
    async giveUp(name) {
      if (!redis.connected) return
      await redis.commands.eval(giveUpScript, 1, claimKey(name), self).catch(() => redis.lost())
    },
    close: async () => undefined,
  }
}
