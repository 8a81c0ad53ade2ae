import type { CreditOperations } from '../credits/operations.ts'
import type { SpendTags } from '../credits/spend-tags.ts'
import type { Decision, SettleRequest } from '../credits/settlement-requests.ts'
import type { CompiledBook } from '../credits/prices/compiled-book.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Store } from '../database/store.ts'
import type { Log } from '../foundation/log.ts'
import type { Route } from '../foundation/environments/route.ts'
import type { Peers } from '../cluster/peers.ts'
import type { RecordOperations } from '../records/operations.ts'
import type { CallCounts } from '../providers/call-counts.ts'
import type { Chain } from '../providers/chain/chain.ts'
import type { FaultLog } from '../providers/chain/fault-log.ts'
import type { FetchNotes } from './call-trace.ts'
import type { MissAllowance } from './fetch/miss-allowance.ts'
import type { FetchOutcomes } from './fetch/fetch-outcomes.ts'
import type { FetchStarts } from './fetch/fetch-starts.ts'
import type { FreshnessRules, Cooldowns } from './freshness.ts'
import type { Known } from './recall-record.ts'
import type { ReadyRecord, RecordCache } from './record-cache.ts'
import type { FieldLacks } from './fields/required-fields.ts'
import type { RunningCalls } from './fetch/running-calls.ts'
import type { SingleFlight } from './fetch/single-flight.ts'

/** Who pays for a lookup. */
export interface Payer {
  keyId: string
  environmentId: number
  /** The providers that may answer it. */
  route: Route
  /** Prices may be those of a project or an environment. */
  project: string
  environment: string
}

/** Settings of lookups, from the configuration. */
export interface LookupRules {
  freshness: FreshnessRules
  /** Days in which an environment pays once per record; 0 = every time. */
  repeatFreeDays: number
  holdMs: number
  idempotencyMs: number
  idempotencyWaitMs: number
  upstreamTotalMs: number
  /** What the providers of one call may cost together, in the currency of the configuration; null = no limit. */
  costAtMost: number | null
}

/** What answering a lookup needs from the service. */
export interface LookupDeps {
  clock: Clock
  /** Whether the clock of this node is off by more than a hold lasts: then it begins no paid call. */
  isClockOff(): boolean
  log: Log
  rules: LookupRules
  /** The price books, by the moment at which a call begins. */
  prices: { at(now: number): CompiledBook }
  /** Keys the hashes of idempotency values and of suppressed aliases; lives outside the database. */
  secret: string
  store: Pick<
    Store<RecordOperations>,
    | 'readRecord'
    | 'readVersion'
    | 'readVersionBy'
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
  /** Calls of providers that a save takes along. */
  callCounts: Pick<CallCounts, 'take'>
  /** What has been paid, read without changing anything. */
  credits: Pick<Store<CreditOperations>, 'paidAt' | 'keySpending'>
  settle(request: SettleRequest): Promise<Decision>
  /** Moves the end of a running call's hold further away. */
  extendHold: Store<CreditOperations>['extendHold']
  cache: RecordCache
  chain: Chain
  /** Reads of the store that are under way. */
  recalls: SingleFlight<Known>
  /** Fetches that are about to begin. */
  fetchStarts: FetchStarts
  /** Fetches that are under way. */
  flights: SingleFlight<ReadyRecord, FetchNotes>
  /** Tells the operator of providers that fail. */
  faultLog: FaultLog
  cooldowns: Cooldowns
  /** What providers turned out to lack. */
  fieldLacks: FieldLacks
  runningCalls: RunningCalls
  peers: Peers
  fetchOutcomes: FetchOutcomes
  missAllowance: MissAllowance
  /** Under which names calls with a tag are counted. */
  spendTags: Pick<SpendTags, 'countedAs'>
}
