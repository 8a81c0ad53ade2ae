import type { Caller, KeyCache } from '../accounts/key-cache.ts'
import type { RateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import type { SignInConfig } from '../config/sign-in-config.ts'
import type { RemainingCredits } from '../credits/settlement-requests.ts'
import type { PriceBooks } from '../credits/prices/price-books.ts'
import type { Clock } from '../foundation/clock.ts'
import type { AnyFailureCode } from '../foundation/failure.ts'
import type { LoadGuard } from '../foundation/load-guard.ts'
import type { Log } from '../foundation/log.ts'
import type { Networks } from '../foundation/networks.ts'
import type { Rate } from '../foundation/rate.ts'
import type { AskedDeliveryDeps } from '../events/webhooks/endpoints/asked-deliveries.ts'
import type { RetentionRules } from '../config/retention-config.ts'
import type { Providers } from '../providers/describe-providers.ts'
import type { SuppressionChanges } from '../lifecycle/operations.ts'
import type { CallCounts } from '../providers/call-counts.ts'
import type { ClockSkew } from '../cluster/database-clock.ts'
import type { Backups } from '../lifecycle/backup/backups.ts'
import type { Finding } from '../lifecycle/doctor/finding.ts'
import type { EndedCall } from '../lookup/ended-call.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import type { BatchDeps } from '../batches/deps.ts'
import type { OperatorStore } from '../operators/deps.ts'
import type { LookupParser } from './lookup/parse-lookup.ts'
import type { AnswerPace } from './lookup/answer-pace.ts'

/** What serving a lookup needs from the service. */
export interface HttpDeps {
  clock: Clock
  log: Log
  keyCache: KeyCache
  limiter: RateLimiter
  unauthorizedRate: Rate
  /** The proxies whose word on a caller's address counts (`VITAE_TRUST_PROXY`). */
  trustedProxies: Networks | null
  lookupParser: LookupParser
  lookup: LookupDeps
  /** What a live key's environment has left, for the headers of an answer that settles nothing. */
  remainingCreditsOf(
    caller: Caller,
    code: AnyFailureCode | null,
  ): RemainingCredits | null | Promise<RemainingCredits | null>
  refusalPace: AnswerPace
  /** Of routes that charge nothing, by environment. */
  freePace: AnswerPace
  callEnded(call: EndedCall): void
  guard: LoadGuard
}

/** What all routes together need: those of lookups, and those for operators. */
export interface AppDeps extends HttpDeps {
  version: string
  /** False in tests only, which compare it with Node's server alone. */
  fastPath: boolean
  platformHosts: readonly string[]
  /** How many watches an environment may have. */
  watchesAtMost: number
  store: OperatorStore
  /** Changes who is kept out. */
  suppressions: SuppressionChanges
  /** Counts calls of providers, and pauses them. */
  callCounts: CallCounts
  admin: { clock: Clock; store: OperatorStore; ownerToken: string; signIn: SignInConfig }
  /** Forgets cached keys, here and in every other process, before a change is reported as done. */
  keysChanged(): Promise<void>
  /** What is known of the price books. */
  prices: Pick<PriceBooks, 'at' | 'variables'>
  /** What a credit is worth, `VITAE_CREDIT_VALUE`; null = nothing is said of it. */
  creditValue: number | null
  /** So long before its first moment a book has to be set. */
  priceLeadMs: number
  /** Reads the price books again, here and in every other process. */
  pricesChanged(): Promise<void>
  /** Forgets hot records, here and in every other process, before a change is reported as done. */
  recordsChanged(): Promise<void>
  /** Resolves once every call that was answered so far can be read in the call log. */
  callsWritten(): Promise<void>
  batches: BatchDeps & { wake(): void }
  providers: Providers
  /** The configuration as it is running, without secrets. */
  settings: Record<string, unknown>
  /** Every variable and where its value came from; secrets are masked. */
  variables: { name: string; value: string | null; source: string }[]
  retention: RetentionRules
  backups: Backups
  /** What sends an event to a webhook once. */
  webhooks: AskedDeliveryDeps & {
    /** How many an environment may have. */
    atMost: number
  }
  diagnose(): Promise<Finding[]>
  /** Why the last scheduled backup is too old; null where it is not, and where none are scheduled. */
  lateBackup(): string | null
  /** How the clock of this node differs from the database's; null where it does not. */
  clockSkew(): ClockSkew | null
  /** The disk of the embedded store; null where it is elsewhere or gives no figures. */
  diskRoom(): { freeBytes: number; totalBytes: number } | null
  metricsText(): Promise<string>
  readiness(): Promise<{ ready: boolean; checks: Record<string, unknown> }>
}
