import { randomUUID } from 'node:crypto'
import type { Peers, PeerEvent } from './peers.ts'
import type { WatchedRedis } from './redis.ts'
import type { NodeRegistry } from './node-registry.ts'

// A claim is deleted or extended only if it is still ours: it may have expired and belong to another process.
const ifOurs = (command: string) => `if redis.call('get', KEYS[1]) == ARGV[1] then return ${command} end return 0`
const giveUpScript = ifOurs(`redis.call('del', KEYS[1])`)
const renewScript = ifOurs(`redis.call('pexpire', KEYS[1], ARGV[2])`)
const heardWithinMs = 500

/** `ack` asks every receiving node to acknowledge under this number. */
interface Message {
  from: string
  item: PeerEvent
  ack: number | null
}

interface Deps {
  /** Null if none is configured: then the nodes communicate only through the database. */
  redis: WatchedRedis | null
  nodeRegistry: NodeRegistry
  /** Separates services on different databases. */
  instance: string
  /** Factor of the time in which the others answer. */
  patience?: number
}

/**
 * The other nodes, reached through Redis, or reliably through the node registry if Redis fails. Each cache relies on
 * every node's events, so one node without Redis is enough for all nodes to bypass their caches.
 */
export class RedisPeers implements Peers {
  readonly #deps: Deps
  readonly #self = randomUUID()
  readonly #acks: Acknowledgements
  readonly #listeners: ((item: PeerEvent) => void)[] = []
  readonly #watchers: ((connected: boolean) => void)[] = []
  /** Resolves when the messages of the others arrive here. */
  readonly subscribed: Promise<unknown>
  #connected = false

  constructor(deps: Deps) {
    const { redis, nodeRegistry, patience = 1 } = deps
    this.#deps = deps
    this.#acks = new Acknowledgements(heardWithinMs * patience)
    redis?.onConnection(() => this.#look())
    nodeRegistry.onState(() => this.#look())
    // Every alarm invalidates all caches, whatever its reason.
    const voidAll = () => {
      this.#pass({ topic: 'keys' })
      this.#pass({ topic: 'prices' })
      this.#pass({ topic: 'records', names: [], entityIds: [], all: true })
    }
    nodeRegistry.onAlarm({ heard: voidAll })
    nodeRegistry.onReturn(voidAll)
    const heard = redis?.subscribe(this.#heardChannel(this.#self), (text) => this.#acks.came(Number(text)))
    const topics = ['keys', 'events', 'windows'] as const
    const channels = topics.map((topic) => redis?.subscribe(this.#channelOf(topic), (text) => this.#receive(text)))
    this.subscribed = Promise.all([heard, ...channels])
    this.#look()
  }

  get connected(): boolean {
    return this.#connected
  }

  get isWaitedFor(): boolean {
    return this.#deps.nodeRegistry.isWaitedFor
  }

  listen(listener: (item: PeerEvent) => void): void {
    this.#listeners.push(listener)
  }

  onConnection(watcher: (connected: boolean) => void): void {
    this.#watchers.push(watcher)
  }

  async notify(item: PeerEvent): Promise<void> {
    const { redis, nodeRegistry } = this.#deps
    const publish = (ack: number | null) => this.#publish(this.#channelOf(item.topic), { from: this.#self, item, ack })
    const matters = item.topic === 'keys' || item.topic === 'prices' || (item.topic === 'records' && item.all)
    if (!matters) return void (await publish(null))
    // Counted now: a node that joined since the last heartbeat may have cached what has changed.
    const others = (await nodeRegistry.refresh()).nodes - 1
    if (others === 0 && (this.#connected || redis === null)) return
    if (this.#connected && (await this.#acks.expect(others, publish))) return
    await nodeRegistry.raise()
  }

  async claim(name: string, forMs: number): Promise<boolean> {
    const { redis } = this.#deps
    const set = () => redis?.commands.set(this.#claimKey(name), this.#self, 'PX', forMs, 'NX')
    const answer = await this.#attempt(async () => ({ claimed: (await set()) === 'OK' }))
    return answer?.claimed ?? true
  }

  async renew(name: string, forMs: number): Promise<void> {
    await this.#attempt(({ commands }) => commands.eval(renewScript, 1, this.#claimKey(name), this.#self, forMs))
  }

  async giveUp(name: string): Promise<void> {
    await this.#attempt(({ commands }) => commands.eval(giveUpScript, 1, this.#claimKey(name), this.#self))
  }

  async close(): Promise<void> {
    this.#listeners.length = 0
    this.#watchers.length = 0
  }

  /** Topics that nodes of earlier versions do not know have channels of their own. */
  #channelOf(topic: PeerEvent['topic']): string {
    const channel = topic === 'events' ? 'outbox' : topic === 'windows' ? 'windows' : 'news'
    return `vitae:${this.#deps.instance}:${channel}`
  }

  #heardChannel(node: string): string {
    return `vitae:${this.#deps.instance}:heard:${node}`
  }

  #claimKey(name: string): string {
    return `vitae:{${this.#deps.instance}:${name}}:claim`
  }

  #look(): void {
    const { redis, nodeRegistry } = this.#deps
    const now = (redis?.connected ?? false) && nodeRegistry.state.othersCutOff === 0
    if (now === this.#connected) return
    this.#connected = now
    for (const watcher of this.#watchers) watcher(now)
  }

  #receive(text: string): void {
    const { from, item, ack } = JSON.parse(text) as Message
    if (from === this.#self) return
    this.#pass(item)
    if (ack !== null) void this.#publish(this.#heardChannel(from), ack)
  }

  #pass(item: PeerEvent): void {
    for (const listener of this.#listeners) listener(item)
  }

  async #publish(channel: string, message: Message | number): Promise<boolean> {
    return (await this.#attempt(({ commands }) => commands.publish(channel, JSON.stringify(message)))) !== null
  }

  /** Runs a command if Redis can be relied on; null if it could not be run. */
  async #attempt<Result>(command: (redis: WatchedRedis) => Promise<Result>): Promise<Result | null> {
    const { redis } = this.#deps
    if (!redis?.connected) return null
    try {
      return await command(redis)
    } catch {
      redis.lost()
      return null
    }
  }
}

/** Counts the nodes that have received an event. */
class Acknowledgements {
  readonly #waiting = new Map<number, { missing: number; resolve(heard: boolean): void }>()
  readonly #withinMs: number
  #last = 0

  constructor(withinMs: number) {
    this.#withinMs = withinMs
  }

  came(number: number): void {
    const waiting = this.#waiting.get(number)
    if (waiting && --waiting.missing <= 0) waiting.resolve(true)
  }

  /** Sends something and waits for `count` acknowledgements; false if they do not arrive in time. */
  async expect(count: number, send: (number: number) => Promise<boolean>): Promise<boolean> {
    const number = ++this.#last
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.set(number, { missing: count, resolve })
    const timer = setTimeout(resolve, this.#withinMs, false)
    if (!(await send(number))) resolve(false)
    const heard = await promise
    clearTimeout(timer)
    this.#waiting.delete(number)
    return heard
  }
}
