import type { Redis } from 'ioredis'
import type { WatchedRedis } from '../../../src/cluster/redis.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** The interval of a node's probe, by which it notices a lost connection. */
const noticedAfterMs = 750

/** One Redis for all nodes of a seed. Messages arrive in order, when the scheduler delivers them. */
export class SimulatedRedis {
  readonly #time: VirtualTime
  readonly #connections = new Set<NodeRedis>()
  readonly #claims = new Map<string, { by: string; until: number }>()

  constructor(time: VirtualTime) {
    this.#time = time
  }

  connect(owner: Owner): NodeRedis {
    const connection = new NodeRedis(this.#time, owner, this)
    this.#connections.add(connection)
    return connection
  }

  leave(connection: NodeRedis): void {
    this.#connections.delete(connection)
  }

  get isSomeoneCut(): boolean {
    return [...this.#connections].some(({ isCut }) => isCut)
  }

  publish(channel: string, text: string): void {
    for (const connection of this.#connections) connection.sent(channel, text)
  }

  claim(name: string, by: string, forMs: number): 'OK' | null {
    if (this.#holderOf(name) !== null) return null
    this.#claims.set(name, { by, until: this.#time.clock.now() + forMs })
    return 'OK'
  }

  /** Null releases it. */
  keep(name: string, by: string, forMs: number | null): number {
    if (this.#holderOf(name) !== by) return 0
    this.#claims.delete(name)
    if (forMs !== null) this.claim(name, by, forMs)
    return 1
  }

  #holderOf(name: string): string | null {
    const claim = this.#claims.get(name)
    return claim && claim.until > this.#time.clock.now() ? claim.by : null
  }
}

/** The connection of one node. */
export class NodeRedis implements WatchedRedis {
  readonly epoch = 'one'
  readonly dataName = 'one'
  connected = true
  readonly commands: Redis
  readonly #time: VirtualTime
  readonly #owner: Owner
  readonly #redis: SimulatedRedis
  readonly #channels = new Map<string, (text: string) => void>()
  readonly #listeners: ((connected: boolean) => void)[] = []
  #inbox: { channel: string; text: string }[] = []
  isCut = false

  constructor(time: VirtualTime, owner: Owner, redis: SimulatedRedis) {
    this.#time = time
    this.#owner = owner
    this.#redis = redis
    const reached = () => {
      if (this.isCut) throw new Error('Redis cannot be reached')
      return redis
    }
    const commands = {
      publish: async (channel: string, text: string) => reached().publish(channel, text),
      set: async (name: string, by: string, _px: 'PX', forMs: number) => reached().claim(name, by, forMs),
      eval: async (_script: string, _keys: 1, name: string, by: string, forMs?: number) =>
        reached().keep(name, by, forMs ?? null),
    }
    // Only the commands that `redis-peers.ts` uses.
    this.commands = commands as unknown as Redis
  }

  get waiting(): number {
    return this.#owner.isFrozen ? 0 : this.#inbox.length
  }

  /**
   * No message is on its way to this node, or it has noticed the loss. A node without Redis sends no messages: the others
   * learn that only from its next heartbeat.
   */
  get isUpToDate(): boolean {
    return !this.connected || (!this.#redis.isSomeoneCut && this.#inbox.length === 0)
  }

  onConnection(listener: (connected: boolean) => void): void {
    this.#listeners.push(listener)
  }

  async subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    this.#channels.set(channel, listener)
  }

  lost(): void {
    this.#change(false)
  }

  async settled(): Promise<boolean> {
    return this.connected
  }

  async close(): Promise<void> {
    this.#redis.leave(this)
  }

  sent(channel: string, text: string): void {
    if (!this.isCut && this.#channels.has(channel)) this.#inbox.push({ channel, text })
  }

  /** Delivers the first messages. */
  deliver(count: number): void {
    if (this.#owner.isFrozen) return
    for (const { channel, text } of this.#inbox.splice(0, count))
      this.#time.within(this.#owner, () => this.#channels.get(channel)?.(text))
  }

  /** Messages in transit are lost and no more arrive. The node notices after a while. */
  cut(): void {
    this.isCut = true
    this.#inbox = []
    this.#time.within(this.#owner, () => setTimeout(() => this.isCut && this.lost(), noticedAfterMs))
  }

  heal(): void {
    if (!this.isCut && this.connected) return
    this.isCut = false
    // Reports the loss before the reconnection, even if the probe has not noticed it yet.
    this.#change(false)
    this.#change(true)
  }

  #change(connected: boolean): void {
    if (connected === this.connected) return
    this.connected = connected
    this.#time.within(this.#owner, () => {
      for (const listener of this.#listeners) listener(connected)
    })
  }
}
