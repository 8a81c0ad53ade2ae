import type { CreditStore } from '../../credits/operations.ts'
import { KeyCache, type Caller } from '../../accounts/caller.ts'
import type { BatchDeps } from '../../batches/rows/deps.ts'
import { Uploads } from '../../batches/input/uploads.ts'
import type { Config } from '../../config/config.ts'
import { SpendTags } from '../../credits/spend-tags.ts'
import { SettlementQueue } from '../../credits/settlement-queue.ts'
import { networkSet } from '../../foundation/networks.ts'
import type { HttpDeps } from '../../http/exchange/deps.ts'
import { LookupParser } from '../../http/exchange/parse-lookup.ts'
import { AnswerPace } from '../../http/exchange/answer-pace.ts'
import { FetchOutcomes } from '../../lookup/payment/fetch-outcomes.ts'
import { MissAllowance } from '../../lookup/payment/miss-allowance.ts'
import type { LookupDeps, LookupRules } from '../../lookup/payment/deps.ts'
import type { ReadyRecord } from '../../lookup/recall/record-cache.ts'
import { FieldLacks } from '../../lookup/recall/demands.ts'
import { RunningCalls } from '../../lookup/payment/running-calls.ts'
import type { Known } from '../../lookup/recall/recall-record.ts'
import { SingleFlight } from '../../foundation/pacing/single-flight.ts'
import { FaultLog } from '../../providers/chain/provider-health.ts'
import type { FetchNotes } from '../../lookup/asked/call-trace.ts'
import type { Parts } from './parts.ts'
import { dayMs, type Clock } from '../../foundation/clock.ts'
import { LRUCache } from 'lru-cache'
import type { RemainingCredits } from '../../credits/decision/settlement-requests.ts'
import type { AnyFailureCode } from '../../foundation/failure.ts'
import { Cooldowns } from '../../lookup/asked/freshness.ts'

/** The dependencies of a lookup, from the key to the call log. */
export function callerDeps(parts: Parts): HttpDeps {
  const { config, log, clock, engine, guard, callLog } = parts
  const { store, limiter } = engine
  return {
    clock,
    log,
    keyCache: new KeyCache({ store, defaultRate: config.limits.perKey }),
    limiter,
    unauthorizedRate: config.limits.unauthorized,
    trustedProxies: config.http.trustProxy && networkSet(config.http.trustProxy),
    lookupParser: new LookupParser(config.platformHosts),
    lookup: lookupDeps(parts),
    refusalPace: new AnswerPace(2),
    // These cost several times as much as a refusal.
    freePace: new AnswerPace(5),
    remainingCreditsOf: createRemainingCredits(store, clock),
    callEnded: callLog.note,
    guard,
  }
}

function lookupDeps({ config, log, clock, engine, cache, metrics, upstream, prices }: Parts): LookupDeps {
  const { store, secret, limiter, peers } = engine
  const arriving = () => limiter.counting?.() ?? null
  const batchesAtOnce = engine.kind === 'embedded' ? 1 : 3
  const settling = { settle: store.credits.settle, isHere: engine.kind !== 'embedded' }
  const settlements = new SettlementQueue(settling, { batchesAtOnce, onBatch: metrics.settled, arriving })
  const { clockAheadMs } = engine
  const { holdMs } = config.credits
  return {
    clock,
    isClockOff: clockAheadMs === null ? () => false : () => Math.abs(clockAheadMs()) > holdMs,
    log,
    rules: lookupRules(config),
    prices,
    secret,
    store,
    credits: store.credits,
    settle: settlements.settle,
    earlyPayments: { ...store.lookups, isIdle: settlements.isIdle, findOrRelease: settlements.findOrRelease },
    extendHold: (request) => store.credits.extendHold(request),
    cache,
    chain: upstream.chain,
    recalls: new SingleFlight<Known>(),
    flights: new SingleFlight<ReadyRecord, FetchNotes>(),
    faultLog: new FaultLog({ log, clock }),
    cooldowns: new Cooldowns(clock, config.freshness.cooldownSeconds * 1_000),
    fieldLacks: new FieldLacks(clock, config.freshness.notFoundMinutes * 60_000),
    runningCalls: new RunningCalls(),
    missAllowance: new MissAllowance(limiter, config.limits.notFound),
    spendTags: new SpendTags({ store, clock, atMost: config.limits.tagsPerDay }),
    peers,
    fetchOutcomes: new FetchOutcomes(clock),
  }
}

/** The maximum number of concurrent uploads per environment and mode; more would take as long and use more memory. */
const uploadsOfLane = 8
/** A preview is free, and reads the store for every id. */
const previewsOfLane = 1

/** The dependencies of batches. */
export function batchDeps({ config, engine, scheduler }: Parts, forCallers: HttpDeps): BatchDeps {
  const { clock, log, lookup, guard, callEnded } = forCallers
  const { rowsAtMost, openAtMost, days } = config.batches
  return {
    clock,
    log,
    lookup,
    guard,
    callEnded,
    rules: { rowsAtMost, openAtMost, keptMs: days * dayMs },
    uploads: new Uploads(scheduler, uploadsOfLane),
    previews: new Uploads(scheduler, previewsOfLane),
    scheduler,
    store: engine.store,
    defaultRate: config.limits.perKey,
    platformHosts: config.platformHosts,
  }
}

function lookupRules({ freshness, credits, upstream }: Config): LookupRules {
  return {
    freshness: {
      capMs: freshness.capDays * dayMs,
      defaultMs: freshness.defaultDays * dayMs,
      staleMaxMs: freshness.staleMaxDays * dayMs,
      notFoundMs: freshness.notFoundMinutes * 60_000,
    },
    repeatFreeDays: credits.repeatFreeDays,
    holdMs: credits.holdMs,
    idempotencyMs: credits.idempotencyMs,
    idempotencyWaitMs: credits.idempotencyWaitMs,
    upstreamTotalMs: upstream.totalTimeoutMs,
    costAtMost: upstream.costPerCall,
  }
}

const goodForMs = 1_000

/**
 * The remaining credits of a caller, for the headers of a failure. They are read from the ledger, except for a
 * rate-limited caller: such a flood must not reach the store, so a value up to one second old is used.
 */
function createRemainingCredits(store: { credits: Pick<CreditStore, 'remainingCredits'> }, clock: Clock) {
  type Read = { credits: RemainingCredits | null | Promise<RemainingCredits | null> }
  const recent = new LRUCache<string, Read>({ maxSize: 10_000, sizeCalculation: () => 1, ttl: goodForMs })
  const read = async ({ keyId, environmentId }: Caller): Promise<RemainingCredits | null> => {
    try {
      return await store.credits.remainingCredits({ environmentId, keyId, at: clock.now() })
    } catch {
      // The failure itself is answered even while the store is away.
      return null
    }
  }
  return (caller: Caller, code: AnyFailureCode | null): Read['credits'] => {
    const known = code === 'rate_limit_exceeded' ? recent.get(caller.keyId) : undefined
    if (known) return known.credits
    const reading: Read = { credits: read(caller).then((credits) => (reading.credits = credits)) }
    recent.set(caller.keyId, reading)
    return reading.credits
  }
}
