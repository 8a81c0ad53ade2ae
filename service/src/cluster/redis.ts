import { randomUUID } from 'node:crypto'
import { setImmediate as afterInput } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import type { Log } from '../foundation/log.ts'

const answerWithinMs = 500
const connectWithinMs = 1_000
const probeEveryMs = 250
/** The key of Redis's epoch. */
export const epochKey = 'vitae:epoch'

/** A monitored connection to Redis: a frozen Redis counts as lost, like a closed one. */
export interface WatchedRedis {
  commands: Redis | Cluster
  /** True from the moment one of our own messages came back until anything shows that the next one would not. */
  readonly connected: boolean
  /**
   * A name for the data in Redis, which is lost with the data: another name means that counts are missing. Null if it
   * cannot be checked with each count, because a cluster keeps it on another member.
   */
  readonly epoch: string | null
  /** Another name after a reconnection means that data may be missing. Null if unknown. */
  readonly dataName: string | null
  onConnection(listener: (connected: boolean) => void): void
  /** Resolves when messages arrive, at once if there is no connection. */
  subscribe(channel: string, listener: (text: string) => void): Promise<unknown>
  /** Reports a failed command, so that the loss is known at once and not at the next probe. */
  lost(): void
  /** Resolves with the state when it is connected, or after this time. */
  settled(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Opens Redis. It may be absent at the start and come later: until then the service runs with stricter limits. */
export function openRedis(url: string, log: Log, patience = 1): WatchedRedis {
  return new EchoedRedis(url, log, patience)
}

/** The probe is a message to ourselves on the same path as all events: everything published before it has arrived. */
class EchoedRedis implements WatchedRedis {
  readonly commands: Redis | Cluster
  readonly #subscriber: Redis | Cluster
  readonly #log: Log
  readonly #answerWithinMs: number
  readonly #channels = new Map<string, (text: string) => void>()
  readonly #listeners = new Set<(connected: boolean) => void>()
  readonly #timer = setInterval(() => void this.#probe(), probeEveryMs).unref()
  readonly #echoChannel = `vitae:echo:${randomUUID()}`
  #heard: (text: string) => void = () => undefined
  #connected = false
  #epoch: string | null = null
  #dataName: string | null = null
  #losses = 0
  #probes = 0
  #isProbing = false

  constructor(url: string, log: Log, patience: number) {
    this.#log = log
    this.#answerWithinMs = answerWithinMs * patience
    const connectTimeout = connectWithinMs * patience
    this.commands = openClient(url, { connectTimeout, commandTimeout: this.#answerWithinMs })
    // A subscription has no time limit; the probe monitors both connections.
    this.#subscriber = openClient(url, { connectTimeout, autoResubscribe: false })
    this.#channels.set(this.#echoChannel, (text) => this.#heard(text))
    const lost = () => this.lost()
    // Errors only change `connected`; without a listener they would end the process.
    for (const client of [this.commands, this.#subscriber]) client.on('error', lost).on('close', lost)
    this.#subscriber.on('message', (channel: string, text: string) => this.#channels.get(channel)?.(text))
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(...this.#channels.keys()).then(() => this.#probe(), lost)
    })
  }

  get connected(): boolean {
    return this.#connected
  }

  get epoch(): string | null {
    return this.commands instanceof Cluster ? null : this.#epoch
  }

  get dataName(): string | null {
    return this.#dataName
  }

  onConnection(listener: (connected: boolean) => void): void {
    this.#listeners.add(listener)
  }

  async subscribe(channel: string, listener: (text: string) => void): Promise<unknown> {
    this.#channels.set(channel, listener)
    if (this.#subscriber.status === 'ready') await this.#subscriber.subscribe(channel).catch(() => this.lost())
    return undefined
  }

  lost(): void {
    this.#losses++
    this.#change(false)
  }

  settled(withinMs: number): Promise<boolean> {
    if (this.#connected) return Promise.resolve(true)
    return new Promise((resolve) => {
      const end = (connected: boolean) => {
        clearTimeout(timer)
        this.#listeners.delete(end)
        resolve(connected)
      }
      const timer = setTimeout(end, withinMs, false)
      this.#listeners.add(end)
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#listeners.clear()
    // Disconnecting now is not a loss.
    this.#connected = false
    this.commands.disconnect()
    this.#subscriber.disconnect()
  }

  #change(connected: boolean): void {
    if (connected === this.#connected) return
    this.#connected = connected
    if (connected) this.#log.info('Redis is connected')
    else this.#log.warn('Redis is lost: limits are divided between the nodes and caches are bypassed until it is back')
    for (const listener of this.#listeners) listener(connected)
  }

  async #probe(): Promise<void> {
    if (this.#isProbing || this.commands.status !== 'ready' || this.#subscriber.status !== 'ready') return
    this.#isProbing = true
    const before = this.#losses
    const [came, epoch] = await Promise.all([this.#echo(), this.#readEpoch()])
    const isEmptied = this.#connected && epoch !== null && epoch !== this.#epoch
    if (isEmptied)
      this.#log.warn('Redis has lost its data: it counts as lost for a moment, so that no rate limit restarts')
    this.#epoch = epoch
    if (!this.#connected) this.#dataName = await this.#readDataName()
    // A loss detected meanwhile is not undone by an earlier answer.
    if (!came || epoch === null || isEmptied) this.lost()
    else if (before === this.#losses) this.#change(true)
    this.#isProbing = false
  }

  /** The current epoch of Redis, created if missing; null if Redis does not answer. */
  async #readEpoch(): Promise<string | null> {
    try {
      await this.commands.set(epochKey, randomUUID(), 'NX')
      return await this.commands.get(epochKey)
    } catch {
      return null
    }
  }

  /** A restarted Redis may have an old snapshot with the same epoch. */
  async #readDataName(): Promise<string | null> {
    if (this.epoch === null) return null
    const run = await this.commands.info('server').catch(() => '')
    return /^run_id:(\w+)/m.exec(run)?.[1]?.concat(this.epoch) ?? null
  }

  /** Sends a message to ourselves and returns whether it came back in time. */
  async #echo(): Promise<boolean> {
    const text = String(++this.#probes)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#heard = (came) => came === text && resolve(true)
    this.commands.publish(this.#echoChannel, text).catch(() => resolve(false))
    const late = async () => {
      // A busy process first reads what has arrived meanwhile: its own delay is not a loss.
      await afterInput()
      await afterInput()
      resolve(false)
    }
    const timer = setTimeout(() => void late(), this.#answerWithinMs)
    const came = await promise
    clearTimeout(timer)
    return came
  }
}

interface ClientOptions {
  connectTimeout: number
  commandTimeout?: number
  autoResubscribe?: boolean
}

/** `redis://host:6379?cluster=true` is any node of a cluster. */
function openClient(url: string, more: ClientOptions): Redis | Cluster {
  const address = new URL(url)
  const retryStrategy = (times: number) => Math.min(times * 50, 500)
  const options = { maxRetriesPerRequest: 0, enableOfflineQueue: false, ...more }
  if (address.searchParams.get('cluster') !== 'true') return new Redis(url, { ...options, retryStrategy })
  const { hostname: host, port, password, username, protocol } = address
  return new Cluster([{ host, port: Number(port || 6379) }], {
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue: false,
    slotsRefreshTimeout: more.connectTimeout,
    redisOptions: {
      ...options,
      ...(password ? { username, password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  })
}
