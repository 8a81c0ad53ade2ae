import type { EventEmitter } from 'node:events'
import type { RateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import type { Peers } from '../cluster/peers.ts'
import type { Config } from '../config/config.ts'
import type { StartThread } from '../database/sqlite/open-sqlite-store.ts'
import type { Reading } from '../database/sqlite/reader/reports.ts'
import type { Clock } from '../foundation/clock.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import type { SuppressionList } from '../lifecycle/suppression/suppression-list.ts'
import type { WholeStore } from './store/service-store.ts'

/** What a service is built on: its store, its secrets, and the other processes that use them. */
export interface Engine {
  kind: 'embedded' | 'postgres'
  folder: DataFolder
  store: WholeStore
  suppressions: SuppressionList
  ownerToken: string
  /** Keys the hashes of idempotency values and of suppressed aliases. */
  secret: string
  limiter: RateLimiter
  /** The time of everything that is stored or compared: on PostgreSQL the database's, otherwise this machine's. */
  clock: Clock
  /** By how much this machine's clock is ahead of the database's; null where there is only one clock. */
  clockAheadMs: (() => number) | null
  /** Reads the database's time now instead of carrying on the last one; absent where there is only one clock. */
  readTime?: (() => Promise<void>) | undefined
  peers: Peers
  /** Whether Redis answers now; null where none is configured. */
  redisConnected: (() => boolean) | null
  /** Emits `work` after a commit of this process that gave the webhook sender something to do. */
  senderWork: EventEmitter<{ work: [] }>
  /** Ends reports that are being made, which may take longer than a stop. On PostgreSQL they end with their connections. */
  endReports?(): Promise<void>
  close(): Promise<void>
}

export interface EngineOptions {
  config: Config
  log: Log
  /** The time of everything, for tests; otherwise the engine's own. */
  clock?: Clock | undefined
  /** The clock of this machine, where it is not the system's. */
  machineClock?: Clock | undefined
  /** Called when the embedded store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
  /** How the thread of an embedded store is started, where not as a new one. */
  startThread?: StartThread | undefined
  /** How reports of an embedded store are made; absent where nobody calls beside them: then its thread makes them. */
  reading?: Reading | undefined
}
