import type { RecordStore } from '../../records/operations.ts'
import type { CreditStore } from '../../credits/operations.ts'
import type { SettlementQueue } from '../../credits/settlement-queue.ts'
import type { SpendTags } from '../../credits/spend-tags.ts'
import type { Decision, SettleRequest } from '../../credits/decision/settlement-requests.ts'
import type { CompiledBook } from '../../credits/prices/compiled-book.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'
import type { Route } from '../../foundation/environments/route.ts'
import type { Peers } from '../../cluster/peers.ts'
import type { Chain } from '../../providers/chain/chain.ts'
import type { FaultLog } from '../../providers/chain/provider-health.ts'
import type { FetchNotes } from '../asked/call-trace.ts'
import type { LookupStore } from './save-and-settle.ts'
import type { MissAllowance } from './miss-allowance.ts'
import type { FetchOutcomes } from './fetch-outcomes.ts'
import type { FreshnessRules, Cooldowns } from '../asked/freshness.ts'
import type { Known } from '../recall/recall-record.ts'
import type { ReadyRecord, RecordCache } from '../recall/record-cache.ts'
import type { FieldLacks } from '../recall/demands.ts'
import type { RunningCalls } from './running-calls.ts'
import type { SingleFlight } from '../../foundation/pacing/single-flight.ts'

/** The key and environment that pay for a lookup. */
export interface Payer {
  keyId: string
  environmentId: number
  /** The providers that may answer this environment. */
  route: Route
  /** Prices may be set per project or environment. */
  project: string
  environment: string
}

/** Settings of lookups, from the configuration. */
export interface LookupRules {
  freshness: FreshnessRules
  /** Days in which an environment pays once per record; 0 = it pays every time. */
  repeatFreeDays: number
  holdMs: number
  idempotencyMs: number
  idempotencyWaitMs: number
  upstreamTotalMs: number
  /** Limit on the total provider cost of one call, in the configured currency; null = no limit. */
  costAtMost: number | null
}

/** The dependencies of a lookup. */
export interface LookupDeps {
  clock: Clock
  /** Whether this node's clock is off by more than the length of a hold. Then the node starts no paid calls. */
  isClockOff(): boolean
  log: Log
  rules: LookupRules
  /** The price book that applies at the time a call begins. */
  prices: { at(now: number): CompiledBook }
  /** Keys the hashes of idempotency values and of suppressed aliases. It is kept outside the database. */
  secret: string
  store: {
    records: Pick<
      RecordStore,
      | 'readRecord'
      | 'readVersion'
      | 'foldEntity'
      | 'noteFold'
      | 'serveVersion'
      | 'companiesBySite'
      | 'findCompanyKeys'
      | 'companyPage'
      | 'findContacts'
      | 'saveFetch'
      | 'saveMiss'
      | 'saveFault'
      | 'noteHiddenMiss'
    >
  }
  /** Read access to past charges. */
  credits: Pick<CreditStore, 'paidAt' | 'keySpending'>
  settle(request: SettleRequest): Promise<Decision>
  /** Payments in the transaction that saves a fetch. Null: all are settled after it. */
  earlyPayments: (LookupStore & Pick<SettlementQueue, 'isIdle' | 'findOrRelease'>) | null
  /** Extends the hold of a running call. */
  extendHold: CreditStore['extendHold']
  cache: RecordCache
  chain: Chain
  /** Store reads in progress. */
  recalls: SingleFlight<Known>
  /** Fetches in progress. */
  flights: SingleFlight<ReadyRecord, FetchNotes>
  /** Reports failing providers to the operator. */
  faultLog: FaultLog
  cooldowns: Cooldowns
  /** Remembers which fields providers lack. */
  fieldLacks: FieldLacks
  runningCalls: RunningCalls
  peers: Peers
  fetchOutcomes: FetchOutcomes
  missAllowance: MissAllowance
  /** The names under which tagged calls are counted. */
  spendTags: Pick<SpendTags, 'countedAs'>
}
