import type { Caller, KeyCache } from '../../accounts/caller.ts'
import type { RateLimiter } from '../../accounts/rate-limits/rate-limiter.ts'
import type { SignInConfig } from '../../config/sign-in-config.ts'
import type { RemainingCredits } from '../../credits/decision/settlement-requests.ts'
import type { PriceBooks } from '../../credits/prices/price-books.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { AnyFailureCode } from '../../foundation/failure.ts'
import type { LoadGuard } from '../../foundation/pacing/load-guard.ts'
import type { Log } from '../../foundation/log.ts'
import type { Networks } from '../../foundation/networks.ts'
import type { Rate } from '../../foundation/rate.ts'
import type { AskedDeliveryDeps } from '../../events/webhooks/asked-deliveries.ts'
import type { RetentionRules } from '../../config/retention-config.ts'
import type { Providers } from '../../providers/describe-providers.ts'
import type { SuppressionList } from '../../lifecycle/suppression/suppression-list.ts'
import type { CallCounts } from '../../providers/call-counts.ts'
import type { ClockSkew } from '../../cluster/database-clock.ts'
import type { Backups } from '../../lifecycle/backup/backups.ts'
import type { Finding } from '../../lifecycle/doctor/finding.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { LookupDeps } from '../../lookup/payment/deps.ts'
import type { BatchDeps } from '../../batches/rows/deps.ts'
import type { OperatorStore } from '../../operators/deps.ts'
import type { LookupParser } from './parse-lookup.ts'
import type { AnswerPace } from './answer-pace.ts'

/** Dependencies of a lookup. */
export interface HttpDeps {
  clock: Clock
  log: Log
  keyCache: KeyCache
  limiter: RateLimiter
  unauthorizedRate: Rate
  /** Proxies whose `X-Forwarded-For` is trusted (`VITAE_TRUST_PROXY`). */
  trustedProxies: Networks | null
  lookupParser: LookupParser
  lookup: LookupDeps
  /** Remaining credits of a live key's environment, for the headers of a response that charges nothing. */
  remainingCreditsOf(
    caller: Caller,
    code: AnyFailureCode | null,
  ): RemainingCredits | null | Promise<RemainingCredits | null>
  refusalPace: AnswerPace
  /** Slows down routes that charge nothing, per environment. */
  freePace: AnswerPace
  callEnded(call: EndedCall): void
  guard: LoadGuard
}

/** Dependencies of all routes, for callers and operators. */
export interface AppDeps extends HttpDeps {
  version: string
  /** False only in tests that compare the fast path with Node's server. */
  fastPath: boolean
  platformHosts: readonly string[]
  /** Maximum number of watches per environment. */
  watchesAtMost: number
  store: OperatorStore
  /** Adds and removes suppressions. */
  suppressions: SuppressionList
  /** Counts calls to providers, and pauses providers. */
  callCounts: CallCounts
  admin: { clock: Clock; store: OperatorStore; ownerToken: string; signIn: SignInConfig }
  /** Drops cached keys in every process, before a change is reported as done. */
  keysChanged(): Promise<void>
  /** The price books. */
  prices: Pick<PriceBooks, 'at' | 'variables'>
  /** The value of a credit (`VITAE_CREDIT_VALUE`); null if it is not configured. */
  creditValue: number | null
  /** Minimum time between setting a price book and its start. */
  priceLeadMs: number
  /** Rereads the price books in every process. */
  pricesChanged(): Promise<void>
  /** Drops hot records in every process, before a change is reported as done. */
  recordsChanged(): Promise<void>
  /** Resolves once the call log contains every call answered so far. */
  callsWritten(): Promise<void>
  batches: BatchDeps & { wake(): void }
  exports: { wake(): void }
  providers: Providers
  /** The running configuration, without secrets. */
  settings: Record<string, unknown>
  /** Every variable with the source of its value; secrets are masked. */
  variables: { name: string; value: string | null; source: string }[]
  retention: RetentionRules
  /** When PostgreSQL's tables with deleted rows are rewritten (`VITAE_REWRITE_AT`), in milliseconds since midnight. */
  rewriteAtMs: number
  backups: Backups
  /** Sends one event to a webhook once. */
  webhooks: AskedDeliveryDeps & {
    /** Maximum number of webhooks per environment. */
    atMost: number
  }
  diagnose(): Promise<Finding[]>
  /** The reason why the last scheduled backup is late; null if it is on time or none is scheduled. */
  lateBackup(): string | null
  /** The difference between the clocks of this node and the database; null if they agree. */
  clockSkew(): ClockSkew | null
  /** Free space of the embedded store's disk; null for PostgreSQL or if the disk reports none. */
  diskRoom(): { freeBytes: number; totalBytes: number } | null
  metricsText(): Promise<string>
  readiness(): Promise<{ ready: boolean; checks: Record<string, unknown> }>
}
