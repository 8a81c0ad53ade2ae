import { Redis } from 'ioredis'
import type { Log } from './log.ts'

const answerWithinMs = 250
const probeEveryMs = 250

/** A connection to Redis that is watched: a frozen Redis counts as lost as surely as a closed one. */
export interface WatchedRedis {
  commands: Redis
  subscriber: Redis
  readonly connected: boolean
  onConnection(listener: (connected: boolean) => void): void
  /** Reports a command that failed, so that the loss is known at once and not at the next probe. */
  lost(): void
  close(): Promise<void>
}

/** Opens Redis. It may be absent at start and come later: the service goes on without it, stricter. */
export function openRedis(url: string, log: Log): WatchedRedis {
  const options = {
    commandTimeout: answerWithinMs,
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times: number) => Math.min(times * 50, 500),
  }
  const commands = new Redis(url, options)
  // A subscription waits for as long as it takes, so it has no time limit of its own; the probe watches for both.
  const { commandTimeout: _, ...patient } = options
  const subscriber = new Redis(url, { ...patient, autoResubscribe: true })
  const listeners: ((connected: boolean) => void)[] = []
  let connected = false
  const change = (now: boolean) => {
    if (now === connected) return
    connected = now
    if (now) log.info('Redis is connected')
    else log.warn('Redis is lost: limits are divided between the nodes and caches are bypassed until it is back')
    for (const listener of listeners) listener(now)
  }
  // Errors end in `connected`; without a listener they would end the process.
  for (const client of [commands, subscriber]) {
    client.on('error', () => change(false))
    client.on('close', () => change(false))
  }
  const probe = async () => {
    try {
      await commands.ping()
      change(subscriber.status === 'ready')
    } catch {
      change(false)
    }
  }
  commands.on('ready', () => void probe())
  subscriber.on('ready', () => void probe())
  const timer = setInterval(() => void probe(), probeEveryMs)
  timer.unref()
  return {
    commands,
    subscriber,
    get connected() {
      return connected
    },
    onConnection: (listener) => void listeners.push(listener),
    lost: () => change(false),
    async close() {
      clearInterval(timer)
      listeners.length = 0
      commands.disconnect()
      subscriber.disconnect()
    },
  }
}
