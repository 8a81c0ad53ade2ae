import type { EventEmitter } from 'node:events'
import type { RateLimiter } from '../../accounts/rate-limits/rate-limiter.ts'
import type { Peers } from '../../cluster/peers.ts'
import type { Config } from '../../config/config.ts'
import type { StartThread } from '../../database/sqlite/open-sqlite-store.ts'
import type { Reading } from '../../database/sqlite/reader/reports.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { DataFolder } from '../../foundation/data-folder.ts'
import type { Log } from '../../foundation/log.ts'
import type { SuppressionList } from '../../lifecycle/suppression/suppression-list.ts'
import type { WholeStore } from '../store/service-store.ts'

/** The foundation of a service: its store, its secrets, and the other processes that use them. */
export interface Engine {
  kind: 'embedded' | 'postgres'
  folder: DataFolder
  store: WholeStore
  suppressions: SuppressionList
  ownerToken: string
  /** Keys the hashes of idempotency values and of suppressed aliases. */
  secret: string
  limiter: RateLimiter
  /** The time for everything stored or compared: on PostgreSQL the database's, otherwise this machine's. */
  clock: Clock
  /** How far this machine's clock is ahead of the database's; null if there is only one clock. */
  clockAheadMs: (() => number) | null
  /** Reads the database's time now instead of extrapolating the last one; absent if there is only one clock. */
  readTime?: (() => Promise<void>) | undefined
  peers: Peers
  /** Whether Redis answers now; null if none is configured. */
  redisConnected: (() => boolean) | null
  /** Emits `work` after a commit of this process that gave the webhook sender something to do. */
  senderWork: EventEmitter<{ work: [] }>
  /** Ends reports in progress, which may take longer than a shutdown. On PostgreSQL they end with their connections. */
  endReports?(): Promise<void>
  close(): Promise<void>
}

export interface EngineOptions {
  config: Config
  log: Log
  /** The clock for everything, for tests; otherwise the engine's own. */
  clock?: Clock | undefined
  /** The clock of this machine, if it is not the system's. */
  machineClock?: Clock | undefined
  /** Called when the embedded store is lost for good: the process cannot continue. */
  onFatal(error: Error): void
  /** How to start the thread of an embedded store; the default is a new thread. */
  startThread?: StartThread | undefined
  /** How reports of an embedded store run; absent if there are no callers beside them: then its thread runs them. */
  reading?: Reading | undefined
}
