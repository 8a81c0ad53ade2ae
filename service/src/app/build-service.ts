import type { Attempt } from '../providers/chain/ask-one-provider.ts'
import { KeyCache } from '../accounts/key-cache.ts'
import { BatchRunner } from '../batches/batch-runner.ts'
import type { BatchDeps } from '../batches/deps.ts'
import { newestBackupAt } from '../lifecycle/backup/backup-paths.ts'
import { openBackups } from '../lifecycle/backup/backups.ts'
import { cacheBudget } from '../config/cache-budget.ts'
import { CallLog } from './call-log.ts'
import type { Config } from '../config/config.ts'
import { checkBackups, diagnose } from '../lifecycle/doctor/doctor.ts'
import { SettlementQueue } from '../credits/settlement-queue.ts'
import { systemClock, type Clock } from '../foundation/clock.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import { networkSet } from '../foundation/networks.ts'
import type { Peers } from '../cluster/peers.ts'
import { followPeerEvents } from './cache-invalidation.ts'
import { EventSignal } from '../events/event-signal.ts'
import { watchLoad, type LoadGuard } from '../foundation/load-guard.ts'
import { openEngine } from './open-engine.ts'
import type { Engine } from './engine.ts'
import type { AppDeps, HttpDeps } from '../http/deps.ts'
import { LookupParser } from '../http/lookup/parse-lookup.ts'
import { RefusalPace } from '../http/lookup/refusal-pace.ts'
import { FetchOutcomes } from '../lookup/fetch/fetch-once-across-nodes.ts'
import { Cooldowns } from '../lookup/fetch/cooldowns.ts'
import { MissAllowance } from '../lookup/fetch/miss-allowance.ts'
import type { LookupDeps, LookupRules } from '../lookup/deps.ts'
import { RecordCache, type ReadyRecord } from '../lookup/record-cache.ts'
import { FieldLacks } from '../lookup/fields/required-fields.ts'
import { RunningCalls } from '../lookup/fetch/running-calls.ts'
import type { Known } from '../lookup/recall-record.ts'
import { SingleFlight } from '../lookup/fetch/single-flight.ts'
import type { AskedDeliveryDeps } from '../accounts/webhooks/asked-deliveries.ts'
import { resolveName } from '../events/webhooks/resolve-target.ts'
import { WebhookSender } from '../events/webhooks/sender.ts'
import { targetRules } from '../events/webhooks/target-addresses.ts'
import { retentionRules } from '../config/retention-config.ts'
import { publicSettings } from '../config/public-settings.ts'
import { describeProviders } from '../providers/describe-providers.ts'
import { FaultLog } from '../providers/chain/fault-log.ts'
import type { FetchNotes } from '../lookup/call-trace.ts'
import { DiskRoom } from './disk-room.ts'
import { readiness } from './readiness.ts'
import { StoreGauges } from './metrics/store-gauges.ts'
import { Metrics } from './metrics/metrics.ts'
import { createRemainingCredits } from './remaining-credits.ts'
import { noProvider } from '../providers/chain/fault-to-failure.ts'
import { openProviders, type UpstreamName } from '../providers/open-providers.ts'
import { version } from '../foundation/version.ts'

/** The whole service except its listeners: everything built once, and closed in reverse order. */
export interface Service extends AppDeps {
  folder: DataFolder
  /** Runs batches in the background, once it is started. */
  batchRunner: BatchRunner
  /** Says when there are new events to deliver. */
  eventSignal: EventSignal
  /** Delivers events to webhooks once it is started. */
  webhookSender: WebhookSender
  close(): Promise<void>
}

interface Options {
  config: Config
  log: Log
  clock?: Clock
  /** Called when the store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
  /** An engine that is open already, and is closed by the one that opened it. */
  engine?: Engine
}

/** What the deps of callers and of operators are built from. */
interface Parts {
  config: Config
  log: Log
  clock: Clock
  engine: Engine
  guard: LoadGuard
  cache: RecordCache
  metrics: Metrics
  upstream: Awaited<ReturnType<typeof openProviders>>
  callLog: CallLog
  /** Null on PostgreSQL, whose disk is elsewhere. */
  disk: DiskRoom | null
}

const dayMs = 86_400_000

/** Builds the service from its configuration. */
export async function buildService(options: Options): Promise<Service> {
  const { config, log, clock = systemClock, onFatal } = options
  const engine = options.engine ?? (await openEngine({ config, log, clock, onFatal }))
  const { folder, store, peers } = engine
  warnOfSettings(config, log)
  const guard = watchLoad(config.http)
  const cache = new RecordCache(cacheBudget(config).recordBytes)
  const disk = engine.kind === 'embedded' ? new DiskRoom(folder.path, log) : null
  const gauges = storeGauges(config, engine, clock, disk)
  const metrics = new Metrics({ guard, cacheBytes: () => cache.bytesHeld, gauges })
  const onAttempt = ({ provider, outcome, durationMs }: Attempt) => metrics.asked(provider, outcome, durationMs)
  const upstream = await openProviders({ config: config.upstream, store, clock, log, onAttempt })
  metrics.watchProviders(upstream.chain)
  const callLog = new CallLog({ store, clock, log, secret: engine.secret })
  const parts = { config, log, clock, engine, guard, cache, metrics, upstream, callLog, disk }
  const forCallers = callerDeps(parts)
  const { keyCache, lookup } = forCallers
  const webhooks = webhookDeps(parts)
  const holder = engine.kind === 'embedded' ? { holder: 'embedded' } : {}
  const webhookSender = new WebhookSender({ ...webhooks, log, ...holder })
  followPeerEvents({ peers, keyCache, cache, fetchOutcomes: lookup.fetchOutcomes })
  const batches = batchDeps(parts, forCallers)
  const batchRunner = new BatchRunner(batches)
  const eventSignal = new EventSignal({ store, clock, log })
  return {
    ...forCallers,
    ...operatorDeps(parts, keyCache),
    webhooks,
    webhookSender,
    folder,
    batches: { ...batches, wake: () => batchRunner.wake() },
    batchRunner,
    eventSignal,
    async close() {
      await batchRunner.close()
      guard.close()
      await eventSignal.close()
      disk?.close()
      await webhookSender.close()
      await callLog.close()
      await upstream.close()
      await peers.close()
      if (!options.engine) await engine.close()
    },
  }
}

/** What Prometheus is told of the store, Redis and the backups. */
function storeGauges(
  { upstream, backup, databaseUrl, metricsNames }: Config,
  engine: Engine,
  clock: Clock,
  disk: DiskRoom | null,
): StoreGauges {
  const { store, redisConnected } = engine
  const { dir, everyMs } = backup
  return new StoreGauges({
    store,
    clock,
    names: metricsNames,
    budgets: upstream.chain.map((provider) => ({
      provider,
      budget: upstream.settings[provider]?.monthlyBudget ?? null,
    })),
    redisConnected,
    disk,
    backup: dir === null || databaseUrl !== null ? null : { everyMs, newestAt: () => newestBackupAt(dir) },
  })
}

/** Settings that work, but not as most operators would expect. */
function warnOfSettings({ upstream: { chain, totalTimeoutMs, longestAttemptMs } }: Config, log: Log): void {
  if (chain.length === 0) log.warn(noProvider)
  if (totalTimeoutMs < longestAttemptMs)
    log.warn(
      `VITAE_UPSTREAM_TOTAL_MS (${totalTimeoutMs}) ends every call before one attempt of a provider may (${longestAttemptMs}): raise it, or leave it unset`,
    )
}

/** What a lookup goes through, from the key to the call log. */
function callerDeps(parts: Parts): HttpDeps {
  const { config, log, clock, engine, guard, metrics, callLog } = parts
  const { store, limiter } = engine
  return {
    clock,
    log,
    keyCache: new KeyCache({ store, clock, defaultRate: config.limits.perKey }),
    limiter,
    unauthorizedRate: config.limits.unauthorized,
    trustedProxies: config.http.trustProxy && networkSet(config.http.trustProxy),
    lookupParser: new LookupParser(config.platformHosts),
    lookup: lookupDeps(parts),
    refusalPace: new RefusalPace(),
    remainingCreditsOf: createRemainingCredits(store, clock),
    callEnded(call) {
      callLog.note(call)
      metrics.callEnded(call)
    },
    guard,
  }
}

function lookupDeps({ config, log, clock, engine, cache, metrics, upstream }: Parts): LookupDeps {
  const { store, secret, limiter, peers } = engine
  const onBatch = (size: number, ms: number) => metrics.settled(size, ms)
  const arriving = () => limiter.counting?.() ?? null
  const batchesAtOnce = engine.kind === 'postgres' ? 3 : 1
  const settlements = new SettlementQueue(store, { batchesAtOnce, onBatch, arriving })
  return {
    clock,
    log,
    rules: lookupRules(config),
    secret,
    store,
    credits: store,
    settle: settlements.settle,
    extendHold: (request) => store.extendHold(request),
    cache,
    chain: upstream.chain,
    recalls: new SingleFlight<Known>(),
    flights: new SingleFlight<ReadyRecord, FetchNotes>(),
    faultLog: new FaultLog({ log, clock }),
    cooldowns: new Cooldowns(clock, config.freshness.cooldownSeconds * 1_000),
    fieldLacks: new FieldLacks(clock, config.freshness.notFoundMinutes * 60_000),
    runningCalls: new RunningCalls(),
    missAllowance: new MissAllowance(limiter, config.limits.notFound),
    peers,
    fetchOutcomes: new FetchOutcomes(),
  }
}

function batchDeps({ config, engine }: Parts, forCallers: HttpDeps): BatchDeps {
  const { clock, log, lookup, limiter, guard, callEnded } = forCallers
  const { rowsAtMost, days, share } = config.batches
  return {
    clock,
    log,
    lookup,
    limiter,
    guard,
    callEnded,
    rules: { rowsAtMost, keptMs: days * dayMs, share },
    store: engine.store,
    defaultRate: config.limits.perKey,
    platformHosts: config.platformHosts,
  }
}

/** What operators look at and change. */
function operatorDeps(parts: Parts, keyCache: KeyCache): Omit<AppDeps, keyof HttpDeps | 'webhooks' | 'batches'> {
  const { config, clock, engine, cache, metrics, upstream, callLog, disk } = parts
  const { folder, store, ownerToken, peers } = engine
  const admin = { clock, store, ownerToken, signIn: config.signIn }
  const providers = {
    facts: describeProviders(config.upstream),
    currency: config.upstream.currency,
    states: () => upstream.chain.states(),
    // Callers give a name from the facts above.
    check: (name: string) => upstream.check(name as UpstreamName),
  }
  return {
    version,
    store,
    admin,
    providers,
    fastPath: true,
    platformHosts: config.platformHosts,
    watchesAtMost: config.watches.perEnvironment,
    settings: publicSettings(config),
    variables: config.origin.variables,
    retention: retentionRules(config),
    backups: openBackups({ config, store, clock }),
    metricsText: () => metrics.text(),
    callsWritten: () => callLog.flush(),
    diagnose: () =>
      diagnose({ config, store, clock, providers, dataDir: folder.path, redisConnected: engine.redisConnected }),
    lateBackup: () => {
      const finding = checkBackups(config, clock.now())
      return finding.state === 'ok' || config.backup.dir === null ? null : `It is overdue. ${finding.detail}.`
    },
    diskRoom: () => (disk && disk.freeBytes >= 0 ? disk : null),
    readiness: () => readiness(engine, upstream.chain, disk),
    ...changeEvents(peers, keyCache, cache),
  }
}

/** What an attempt to deliver an event needs. */
function webhookDeps({ config, clock, engine, metrics }: Parts): AskedDeliveryDeps {
  return {
    store: engine.store,
    clock,
    secret: engine.secret,
    target: { rules: targetRules(config.webhookNetworks), resolve: resolveName },
    onAttempt: (outcome) => metrics.delivered(outcome),
  }
}

/** Forgets what a change makes void, here and in every other process. */
function changeEvents(
  peers: Peers,
  keyCache: KeyCache,
  cache: RecordCache,
): Pick<AppDeps, 'keysChanged' | 'recordsChanged'> {
  return {
    keysChanged: async () => {
      keyCache.forget()
      await peers.tell({ topic: 'keys' })
    },
    recordsChanged: async () => {
      cache.clear()
      await peers.tell({ topic: 'records', names: [], entityIds: [], all: true })
    },
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
    prices: credits.prices,
    holdMs: credits.holdMs,
    idempotencyMs: credits.idempotencyMs,
    idempotencyWaitMs: credits.idempotencyWaitMs,
    upstreamTotalMs: upstream.totalTimeoutMs,
  }
}
