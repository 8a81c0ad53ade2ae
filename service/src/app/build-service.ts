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
import type { Neighbours } from '../cluster/peers.ts'
import { hearNeighbours } from './cache-invalidation.ts'
import { findAdmin } from '../http/admin/access.ts'
import { watchLoad } from '../foundation/load-guard.ts'
import { openGround, type Ground } from './open-engine.ts'
import type { AppNeeds } from '../http/deps.ts'
import { LookupReader } from '../http/lookup/parse-lookup.ts'
import { FetchNews } from '../lookup/fetch/fetch-outcomes.ts'
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
import { createStandings } from './remaining-credits.ts'
import { openUpstream, type UpstreamName } from '../providers/open-providers.ts'
import { version } from '../foundation/version.ts'

/** The whole service but for its doors: everything built once, and closed in reverse. */
export interface House extends AppNeeds {
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
  ground?: Ground
}

const dayMs = 86_400_000
const readyWithinMs = 2_000

/** Builds the house from its configuration. */
export async function openHouse(options: Options): Promise<House> {
  const { config, log, clock = systemClock, onFatal } = options
  const ground = options.ground ?? (await openGround({ config, log, clock, onFatal }))
  const { folder, store, secret, ownerToken, limiter, neighbours } = ground
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
    neighbours,
    fetchNews: new FetchNews(),
  }
  hearNeighbours({ neighbours, keyRing, cache: lookup.cache, fetchNews: lookup.fetchNews })
  const admin = { clock, store, ownerToken }
  const providers = {
    facts: describeProviders(config.upstream),
    states: () => upstream.chain.states(),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers give a name out of the facts
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
    standingOf: createStandings(store, clock),
    callEnded(call) {
      callLog.note(call)
      metrics.callEnded(call)
    },
    guard,
    metricsText: () => metrics.text(),
    keysChanged: async () => {
      keyRing.forget()
      await neighbours.tell({ topic: 'keys' })
    },
    recordsChanged: async () => {
      lookup.cache.clear()
      await neighbours.tell({ topic: 'records', names: [], entityIds: [], all: true })
    },
    callsWritten: () => callLog.flush(),
    providers,
    settings: shownSettings(config),
    retention: retentionRules(config),
    backups: openBackups({ config, store, clock }),
    diagnose: () => diagnose({ config, store, clock, providers, dataDir: folder.path }),
    readiness: () => readiness(store, neighbours, upstream.chain),
    isOperator: (request) => isOperator(admin, request),
    async close() {
      guard.close()
      await callLog.close()
      await upstream.close()
      await neighbours.close()
      if (!options.ground) await ground.close()
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
async function readiness(store: AppNeeds['store'], neighbours: Neighbours, chain: Chain) {
  const reached = await Promise.race([
    store.ping(null).then(
      () => true,
      () => false,
    ),
    pause(readyWithinMs, false, { ref: false }),
  ])
  const checks = {
    store: reached ? 'ok' : 'unreachable',
    neighbours: neighbours.connected ? 'ok' : 'disconnected',
    upstream: chain.states(),
  }
  return { ready: reached, checks }
}

/** Loopback without a proxy in between, or a bearer of an admin token. */
async function isOperator(admin: AppNeeds['admin'], request: IncomingMessage): Promise<boolean> {
  const address = request.socket.remoteAddress ?? ''
  const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers['forwarded'] !== undefined
  if (!forwarded && /^(::1|(::ffff:)?127\.)/.test(address)) return true
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token !== undefined && (await findAdmin(admin, token)) !== null
}
