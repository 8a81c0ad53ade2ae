import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { KeyRing } from '../accounts/key-cache.ts'
import { openBackups } from '../lifecycle/backup/backups.ts'
import { cacheShares } from '../config/cache-budget.ts'
import { CallLog } from './call-log.ts'
import type { Config } from '../config/config.ts'
import { diagnose } from '../lifecycle/doctor.ts'
import { createSettlements } from '../credits/settlement-queue.ts'
import { systemClock, type Clock } from '../foundation/clock.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import type { Peers } from '../cluster/peers.ts'
import { followPeerEvents } from './cache-invalidation.ts'
import { findAdmin } from '../http/admin/access.ts'
import { watchLoad } from '../foundation/load-guard.ts'
import { openEngine, type Engine } from './open-engine.ts'
import type { AppDeps } from '../http/deps.ts'
import { LookupReader } from '../http/lookup/parse-lookup.ts'
import { FetchOutcomes } from '../lookup/fetch/fetch-outcomes.ts'
import { Cooldowns } from '../lookup/fetch/cooldowns.ts'
import { MissAllowance } from '../lookup/fetch/miss-allowance.ts'
import type { LookupRules } from '../lookup/deps.ts'
import { RecordCache, type ReadyRecord } from '../lookup/record-cache.ts'
import { RunningCalls } from '../lookup/fetch/running-calls.ts'
import type { Known } from '../lookup/recall-record.ts'
import { SingleFlight } from '../lookup/fetch/single-flight.ts'
import { retentionRules } from '../config/retention-config.ts'
import { shownSettings } from '../config/public-settings.ts'
import { describeProviders } from '../providers/describe-providers.ts'
import type { Attempt, Chain } from '../providers/chain/chain.ts'
import { Metrics } from './metrics.ts'
import { createRemainingCredits } from './remaining-credits.ts'
import { openUpstream, type UpstreamName } from '../providers/open-providers.ts'
import { version } from '../foundation/version.ts'

/** The whole service but for its doors: everything built once, and closed in reverse. */
export interface Service extends AppDeps {
  folder: DataFolder
  close(): Promise<void>
}

interface Options {
  config: Config
  log: Log
  clock?: Clock
  /** Called when the store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
  /** A ground that is open already, and is closed by whoever opened it. */
  engine?: Engine
}

const dayMs = 86_400_000
const readyWithinMs = 2_000

/** Builds the service from its configuration. */
export async function buildService(options: Options): Promise<Service> {
  const { config, log, clock = systemClock, onFatal } = options
  const engine = options.engine ?? (await openEngine({ config, log, clock, onFatal }))
  const { folder, store, secret, ownerToken, limiter, peers } = engine
  const keyRing = new KeyRing({ store, clock, defaultRate: config.limits.perKey })
  const guard = watchLoad(config.http)
  const cache = new RecordCache(cacheShares(config).recordBytes)
  const metrics = new Metrics({ guard, cacheBytes: () => cache.bytesHeld })
  const onAttempt = ({ provider, outcome, durationMs }: Attempt) => metrics.asked(provider, outcome, durationMs)
  const upstream = await openUpstream({ config: config.upstream, store, clock, log, onAttempt })
  metrics.watchProviders(upstream.chain)
  const settlements = createSettlements(
    store,
    (size, ms) => metrics.settled(size, ms),
    () => limiter.counting?.() ?? null,
  )
  const callLog = new CallLog({ store, clock, log })
  const lookup = {
    clock,
    log,
    rules: lookupRules(config),
    secret,
    store,
    settle: settlements.settle,
    cache,
    chain: upstream.chain,
    recalls: new SingleFlight<Known>(),
    flights: new SingleFlight<ReadyRecord>(),
    cooldowns: new Cooldowns(clock, config.freshness.cooldownSeconds * 1_000),
    runningCalls: new RunningCalls(),
    missAllowance: new MissAllowance(limiter, config.limits.notFound),
    peers,
    fetchOutcomes: new FetchOutcomes(),
  }
  followPeerEvents({ peers, keyRing, cache: lookup.cache, fetchOutcomes: lookup.fetchOutcomes })
  const admin = { clock, store, ownerToken }
  const providers = {
    facts: describeProviders(config.upstream),
    states: () => upstream.chain.states(),
    // Callers give a name from the facts above.
    check: (name: string) => upstream.check(name as UpstreamName),
  }
  return {
    clock,
    log,
    version,
    folder,
    store,
    keyRing,
    limiter,
    lookup,
    admin,
    trustProxy: config.http.trustProxy,
    unauthorizedRate: config.limits.unauthorized,
    platformHosts: config.platformHosts,
    lookupReader: new LookupReader(config.platformHosts),
    remainingCreditsOf: createRemainingCredits(store, clock),
    callEnded(call) {
      callLog.note(call)
      metrics.callEnded(call)
    },
    guard,
    metricsText: () => metrics.text(),
    keysChanged: async () => {
      keyRing.forget()
      await peers.tell({ topic: 'keys' })
    },
    recordsChanged: async () => {
      lookup.cache.clear()
      await peers.tell({ topic: 'records', names: [], entityIds: [], all: true })
    },
    callsWritten: () => callLog.flush(),
    providers,
    settings: shownSettings(config),
    retention: retentionRules(config),
    backups: openBackups({ config, store, clock }),
    diagnose: () => diagnose({ config, store, clock, providers, dataDir: folder.path }),
    readiness: () => readiness(store, peers, upstream.chain),
    isOperator: (request) => isOperator(admin, request),
    async close() {
      guard.close()
      await callLog.close()
      await upstream.close()
      await peers.close()
      if (!options.engine) await engine.close()
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

/** Ready is who can reach the store: without it no call can be billed, and so none is served. */
async function readiness(store: AppDeps['store'], peers: Peers, chain: Chain) {
  const reached = await Promise.race([
    store.ping(null).then(
      () => true,
      () => false,
    ),
    pause(readyWithinMs, false, { ref: false }),
  ])
  const checks = {
    store: reached ? 'ok' : 'unreachable',
    neighbours: peers.connected ? 'ok' : 'disconnected',
    upstream: chain.states(),
  }
  return { ready: reached, checks }
}

/** Loopback without a proxy in between, or a bearer of an admin token. */
async function isOperator(admin: AppDeps['admin'], request: IncomingMessage): Promise<boolean> {
  const address = request.socket.remoteAddress ?? ''
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined
  if (!forwarded && /^(::1|(::ffff:)?127\.)/.test(address)) return true
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token !== undefined && (await findAdmin(admin, token)) !== null
}
