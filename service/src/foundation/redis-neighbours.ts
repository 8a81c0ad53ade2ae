import { randomUUID } from 'node:crypto'
import type { Log } from './log.ts'
import type { Neighbours, NewsItem } from './neighbours.ts'
import type { WatchedRedis } from './redis.ts'
import type { RollCall } from './roll-call.ts'

// A claim is deleted or prolonged only if it is still ours: it may have expired and belong to someone else by now.
const ifOurs = (command: string) => `if redis.call('get', KEYS[1]) == ARGV[1] then return ${command} end return 0`
const giveUpScript = ifOurs(`redis.call('del', KEYS[1])`)
const renewScript = ifOurs(`redis.call('pexpire', KEYS[1], ARGV[2])`)
const heardWithinMs = 500

/** `ack` asks every node that hears it to say so, under this number. */
interface Message {
  from: string
  item: NewsItem
  ack: number | null
}

interface Needs {
  /** Null where none is configured: then the nodes meet in the database alone. */
  redis: WatchedRedis | null
  rollCall: RollCall
  /** Keeps services on different databases apart. */
  instance: string
  log: Log
}

/**
 * The other nodes, reached through Redis, or for certain through the roll call where Redis fails. Each cache relies on
 * every node's news, so one node without Redis is enough for all of them to be bypassed.
 */
export function redisNeighbours({ redis, rollCall, instance, log }: Needs): Neighbours {
  const self = randomUUID()
  const channel = `vitae:${instance}:news`
  const claimKey = (name: string) => `vitae:{${instance}:${name}}:claim`
  const listeners: ((item: NewsItem) => void)[] = []
  const watchers: ((connected: boolean) => void)[] = []
  let connected = false
  const look = () => {
    const now = (redis?.connected ?? false) && rollCall.roll.othersCutOff === 0
    if (now === connected) return
    connected = now
    for (const watcher of watchers) watcher(now)
  }
  redis?.onConnection(look)
  rollCall.onRoll(look)
  // What is cached is void at every alarm, whatever it was raised for.
  rollCall.onAlarm({
    heard: () => {
      for (const listener of listeners) listener({ topic: 'keys' })
      for (const listener of listeners) listener({ topic: 'records', names: [], entityIds: [], all: true })
    },
  })
  const acks = new Acks()
  const ackChannel = (node: string) => `vitae:${instance}:heard:${node}`
  redis?.subscribe(ackChannel(self), (text) => acks.came(Number(text)))
  redis?.subscribe(channel, (text) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `tell` of another node
    const { from, item, ack } = JSON.parse(text) as Message
    if (from === self) return
    for (const listener of listeners) listener(item)
    if (ack !== null) void attempt(({ commands }) => commands.publish(ackChannel(from), String(ack)))
  })
  look()

  /** Runs a command where Redis can be relied on; null where it could not be run. */
  const attempt = async <Result>(command: (redis: WatchedRedis) => Promise<Result>): Promise<Result | null> => {
    if (!redis?.connected) return null
    try {
      return await command(redis)
    } catch (error) {
      log.debug({ err: error }, 'a command to Redis failed')
      redis.lost()
      return null
    }
  }
  return {
    get connected() {
      return connected
    },
    listen: (listener) => void listeners.push(listener),
    onConnection: (watcher) => void watchers.push(watcher),
    async tell(item) {
      const publish = (ack: number | null) =>
        attempt(({ commands }) =>
          commands.publish(channel, JSON.stringify({ from: self, item, ack } satisfies Message)),
        )
      const matters = item.topic === 'keys' || (item.topic === 'records' && item.all)
      if (!matters) return void (await publish(null))
      const others = rollCall.roll.nodes - (rollCall.serves ? 1 : 0)
      if (others <= 0 && (connected || redis === null)) return
      if (connected && (await acks.expect(others, publish))) return
      await rollCall.raise()
    },
    async claim(name, forMs) {
      const answer = await attempt(async ({ commands }) => ({
        claimed: (await commands.set(claimKey(name), self, 'PX', forMs, 'NX')) === 'OK',
      }))
      return answer?.claimed ?? true
    },
    renew: async (name, forMs) =>
      void (await attempt(({ commands }) => commands.eval(renewScript, 1, claimKey(name), self, forMs))),
    giveUp: async (name) =>
      void (await attempt(({ commands }) => commands.eval(giveUpScript, 1, claimKey(name), self))),
    close: async () => undefined,
  }
}

/** Counts who has heard a piece of news. */
class Acks {
  readonly #waiting = new Map<number, { missing: number; resolve(heard: boolean): void }>()
  #last = 0

  came(ack: number): void {
    const waiting = this.#waiting.get(ack)
    if (waiting && --waiting.missing <= 0) waiting.resolve(true)
  }

  /** Sends something and waits until so many have said that they heard it; false when they have not, after a while. */
  async expect(count: number, send: (ack: number) => Promise<unknown>): Promise<boolean> {
    const ack = ++this.#last
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.set(ack, { missing: count, resolve })
    const timer = setTimeout(resolve, heardWithinMs, false)
    if ((await send(ack)) === null) resolve(false)
    const heard = await promise
    clearTimeout(timer)
    this.#waiting.delete(ack)
    return heard
  }
}
