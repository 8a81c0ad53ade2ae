import type { RateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import type { Peers } from '../cluster/peers.ts'
import type { Config } from '../config/config.ts'
import type { RunOperation } from '../database/store.ts'
import type { Clock } from '../foundation/clock.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import type { ServiceStore } from '../store/service-store.ts'

/** What a service is built on: its store, its secrets, and the other processes that use them. */
export interface Engine {
  kind: 'embedded' | 'postgres'
  folder: DataFolder
  store: ServiceStore
  run: RunOperation
  ownerToken: string
  /** Keys the hashes of idempotency values and of suppressed aliases. */
  secret: string
  limiter: RateLimiter
  peers: Peers
  close(): Promise<void>
}

export interface EngineOptions {
  config: Config
  log: Log
  clock: Clock
  /** False for a process that answers no callers, such as the one that only keeps workers. */
  serves?: boolean
  /** Called when the embedded store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
}
