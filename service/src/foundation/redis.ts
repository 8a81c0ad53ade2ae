import { randomUUID } from 'node:crypto'
import { setImmediate as afterInput } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import type { Log } from './log.ts'

const answerWithinMs = 500
const probeEveryMs = 250

/** A connection to Redis that is watched: a frozen Redis counts as lost as surely as a closed one. */
export interface WatchedRedis {
  commands: Redis | Cluster
  /** True from the moment a message of our own has come back to us until anything shows that the next one would not. */
  readonly connected: boolean
  onConnection(listener: (connected: boolean) => void): void
  subscribe(channel: string, listener: (text: string) => void): void
  /** Reports a command that failed, so that the loss is known at once and not at the next probe. */
  lost(): void
  /** Resolves with the state when it is connected, or after so long. */
  settled(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens Redis. It may be absent at start and come later: the service goes on without it, stricter.
 * The probe is a message to ourselves, by the way that all news take: what was published before it has arrived.
 */
export function openRedis(url: string, log: Log): WatchedRedis {
  const commands = open(url, { commandTimeout: answerWithinMs })
  // A subscription waits for as long as it takes, so it has no time limit of its own; the probe watches over both.
  const subscriber = open(url, { autoResubscribe: false })
  const channels = new Map<string, (text: string) => void>()
  const listeners = new Set<(connected: boolean) => void>()
  let connected = false
  let losses = 0
  const change = (now: boolean) => {
    if (!now) losses++
    if (now === connected) return
    connected = now
    if (now) log.info('Redis is connected')
    else log.warn('Redis is lost: limits are divided between the nodes and caches are bypassed until it is back')
    for (const listener of listeners) listener(now)
  }
  const lost = () => change(false)
  // Errors end in `connected`; without a listener they would end the process.
  for (const client of [commands, subscriber]) client.on('error', lost).on('close', lost)
  subscriber.on('message', (channel: string, text: string) => channels.get(channel)?.(text))
  subscriber.on('ready', () => void subscriber.subscribe(...channels.keys()).then(probe, lost))

  const echo = echoOver(commands, channels)
  let probing = false
  async function probe(): Promise<void> {
    if (probing || commands.status !== 'ready' || subscriber.status !== 'ready') return
    probing = true
    const before = losses
    const came = await echo()
    // A loss that was seen meanwhile is not undone by an answer from before it.
    if (!came) lost()
    else if (before === losses) change(true)
    probing = false
  }
  const timer = setInterval(() => void probe(), probeEveryMs).unref()
  return {
    commands,
    get connected() {
      return connected
    },
    onConnection: (listener) => void listeners.add(listener),
    subscribe(channel, listener) {
      channels.set(channel, listener)
      if (subscriber.status === 'ready') subscriber.subscribe(channel).catch(lost)
    },
    lost,
    settled: (withinMs) => (connected ? Promise.resolve(true) : firstChange(listeners, withinMs)),
    async close() {
      clearInterval(timer)
      listeners.clear()
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}

/** `redis://host:6379?cluster=true` is any node of a cluster. */
function open(url: string, more: { commandTimeout?: number; autoResubscribe?: boolean }): Redis | Cluster {
  const address = new URL(url)
  const retryStrategy = (times: number) => Math.min(times * 50, 500)
  const options = { connectTimeout: 1_000, maxRetriesPerRequest: 0, enableOfflineQueue: false, ...more }
  if (address.searchParams.get('cluster') !== 'true') return new Redis(url, { ...options, retryStrategy })
  const { hostname: host, port, password, username, protocol } = address
  return new Cluster([{ host, port: Number(port || 6379) }], {
    clusterRetryStrategy: retryStrategy,
    enableOfflineQueue: false,
    slotsRefreshTimeout: 1_000,
    redisOptions: {
      ...options,
      ...(password ? { username, password: decodeURIComponent(password) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
    },
  })
}

/** Sends a message to ourselves and says whether it came back in time. */
function echoOver(commands: Redis | Cluster, channels: Map<string, (text: string) => void>): () => Promise<boolean> {
  const channel = `vitae:echo:${randomUUID()}`
  let heard: (text: string) => void = () => undefined
  channels.set(channel, (text) => heard(text))
  let count = 0
  return async () => {
    const text = String(++count)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    heard = (came) => came === text && resolve(true)
    commands.publish(channel, text).catch(() => resolve(false))
    // A process that was busy for so long first reads what has come in meanwhile: its own lateness is no loss.
    const timer = setTimeout(
      () =>
        void afterInput()
          .then(() => afterInput())
          .then(() => resolve(false)),
      answerWithinMs,
    )
    const came = await promise
    clearTimeout(timer)
    return came
  }
}

function firstChange(listeners: Set<(connected: boolean) => void>, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (connected: boolean) => {
      clearTimeout(timer)
      listeners.delete(end)
      resolve(connected)
    }
    const timer = setTimeout(end, withinMs, false)
    listeners.add(end)
  })
}
