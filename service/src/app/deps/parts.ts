import type { CallLog } from './call-log.ts'
import type { Config } from '../../config/config.ts'
import type { PriceBooks } from '../../credits/prices/price-books.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import type { LoadGuard } from '../../foundation/pacing/load-guard.ts'
import type { Scheduler } from '../../foundation/pacing/scheduler.ts'
import type { StartThread } from '../../database/sqlite/open-sqlite-store.ts'
import type { Reading } from '../../database/sqlite/reader/reports.ts'
import type { Engine } from './engine.ts'
import type { RecordCache } from '../../lookup/recall/record-cache.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { CallCounts } from '../../providers/call-counts.ts'
import type { openProviders } from '../../providers/open-providers.ts'

/** The parts from which the dependencies of callers and operators are built. */
export interface Parts {
  config: Config
  log: Log
  clock: Clock
  engine: Engine
  callCounts: CallCounts
  guard: LoadGuard
  scheduler: Scheduler
  cache: RecordCache
  metrics: Metrics
  upstream: Awaited<ReturnType<typeof openProviders>>
  callLog: CallLog
  prices: PriceBooks
  /** Null on PostgreSQL, whose disk is elsewhere. */
  disk: DiskRoom | null
  startThread: StartThread | undefined
  /** How reports run beside callers, if they do. */
  reading: Reading | undefined
}
