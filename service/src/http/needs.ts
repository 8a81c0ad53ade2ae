import type { IncomingMessage } from 'node:http'
import type { Caller, KeyRing } from '../accounts/key-ring.ts'
import type { AccountOperations } from '../accounts/operations.ts'
import type { RateLimiter } from '../accounts/rate-limiter.ts'
import type { DataSource, Kind } from '@vitae/contract'
import type { CreditOperations } from '../credits/operations.ts'
import type { AuditOperations } from '../foundation/audit-operations.ts'
import type { BackupOperations, StoreCounts } from '../foundation/backup-operations.ts'
import type { InspectOperations } from '../foundation/inspect-operations.ts'
import type { Clock } from '../foundation/clock.ts'
import type { AnyFailureCode } from '../foundation/failure.ts'
import type { LoadGuard } from '../foundation/load-guard.ts'
import type { Log } from '../foundation/log.ts'
import type { NodeOperations } from '../foundation/node-operations.ts'
import type { Rate } from '../foundation/rate.ts'
import type { Store } from '../foundation/database/store.ts'
import type { RecordOperations } from '../records/operations.ts'
import type { RetentionRules } from '../records/retention-rules.ts'
import type { LinkState } from '../upstream/chain.ts'
import type { ProviderCheck } from '../upstream/check-provider.ts'
import type { ProviderFacts } from '../upstream/describe-providers.ts'
import type { UpstreamOperations } from '../upstream/operations.ts'
import type { Replayed } from '../lookup/lookup.ts'
import type { LookupNeeds } from '../lookup/needs.ts'
import type { LookupReader } from './read-lookup.ts'

/** A call that has been answered, for the log, the call log and the metrics. Never anything that the caller sent. */
export interface EndedCall {
  requestId: string
  kind: Kind
  caller: Caller | null
  startedAt: number
  durationMs: number
  status: number
  code: AnyFailureCode | null
  source: DataSource | null
  credits: number
  replay: Replayed | null
}

/** What the lookup door needs from the house. */
export interface HttpNeeds {
  clock: Clock
  log: Log
  keyRing: KeyRing
  limiter: RateLimiter
  unauthorizedRate: Rate
  lookupReader: LookupReader
  lookup: LookupNeeds
  /** What a live key's environment has left, for the headers of a failure. */
  standingOf(
    caller: Caller,
    code: AnyFailureCode,
  ): Promise<{ available: number; ceilingRemaining: number | null } | null>
  callEnded(call: EndedCall): void
  guard: LoadGuard
}

/** The whole store, as operators reach it through the admin API. */
export type HouseStore = Store<
  AccountOperations &
    CreditOperations &
    RecordOperations &
    UpstreamOperations &
    AuditOperations &
    BackupOperations &
    InspectOperations &
    NodeOperations
>

/** Where records come from, for operators. */
export interface Providers {
  facts: readonly ProviderFacts[]
  states(): LinkState[]
  /** Asks one cheap question; the name must be one of the facts. */
  check(name: string): Promise<ProviderCheck>
}

/** One thing that `vitae doctor` looked at, and how to mend it where it is not right. */
export interface Finding {
  name: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  mend: string | null
}

/** What a backup is wished to be: at a path of its own, or as one of the scheduled ones. */
export interface BackupWish {
  path: string | null
  overwrite: boolean
  actor: string
}

export interface BackupFile {
  path: string
  size: number
  madeAt: number
}

export interface BackupReport extends BackupFile, StoreCounts {
  durationMs: number
}

/** Backups of the embedded engine. */
export interface Backups {
  /** Where the scheduled ones are; null where none are wished for. */
  dir: string | null
  make(wish: BackupWish): Promise<BackupReport>
  list(): Promise<BackupFile[]>
}

/** What all doors together need: the lookup's needs, and what operators look at and change. */
export interface AppNeeds extends HttpNeeds {
  version: string
  trustProxy: string[] | null
  platformHosts: readonly string[]
  store: HouseStore
  admin: { clock: Clock; store: HouseStore; ownerToken: string }
  /** Forgets cached keys, here and in every other process, before a change is reported as done. */
  keysChanged(): Promise<void>
  /** Forgets hot records, here and in every other process, before a change is reported as done. */
  recordsChanged(): Promise<void>
  /** Resolves once every call that was answered so far can be read in the call log. */
  callsWritten(): Promise<void>
  providers: Providers
  /** The configuration as it is running, without secrets. */
  settings: Record<string, unknown>
  retention: RetentionRules
  backups: Backups
  diagnose(): Promise<Finding[]>
  metricsText(): Promise<string>
  readiness(): Promise<{ ready: boolean; checks: Record<string, unknown> }>
  /** True for loopback and for holders of an admin token: they may see details. */
  isOperator(request: IncomingMessage): Promise<boolean>
}
