import type { Identifier } from '../../foundation/identifier.ts'
import type { KeyCache } from '../../accounts/caller.ts'
import { newestBackupAt } from '../../lifecycle/store/backup-paths.ts'
import { openBackups } from '../../lifecycle/backup/backups.ts'
import type { Config } from '../../config/config.ts'
import { checkBackups, diagnose } from '../../lifecycle/doctor/doctor.ts'
import type { PriceBooks } from '../../credits/prices/price-books.ts'
import { skewOf } from '../../cluster/database-clock.ts'
import type { Peers } from '../../cluster/peers.ts'
import type { Engine } from './engine.ts'
import { operationsModule } from '../store/service-store.ts'
import type { AppDeps, HttpDeps } from '../../http/exchange/deps.ts'
import type { RecordCache } from '../../lookup/recall/record-cache.ts'
import type { AskedDeliveryDeps } from '../../events/webhooks/asked-deliveries.ts'
import { keepConnections } from '../../events/webhooks/delivery/post.ts'
import { resolveName } from '../../events/webhooks/delivery/resolve-target.ts'
import { targetRules } from '../../events/webhooks/delivery/target-addresses.ts'
import { retentionRules } from '../../config/retention-config.ts'
import { publicSettings } from '../../config/explain-settings.ts'
import { describeProviders } from '../../providers/describe-providers.ts'
import { StoreGauges } from '../metrics/store-gauges.ts'
import { version } from '../../foundation/version.ts'
import type { Parts } from './parts.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Chain } from '../../providers/chain/chain.ts'
import { Failure } from '../../foundation/failure.ts'
import type { DiskRoom } from './disk-room.ts'

/** The dependencies of the admin API. */
export function operatorDeps(
  parts: Parts,
  keyCache: KeyCache,
): Omit<AppDeps, 'exports' | keyof HttpDeps | 'webhooks' | 'batches'> {
  const { config, clock, engine, callCounts, cache, metrics, upstream, callLog, prices, disk, startThread, reading } =
    parts
  const { folder, store, suppressions, ownerToken, peers } = engine
  const admin = { clock, store, ownerToken, signIn: config.signIn }
  const clockSkew = () => skewOf(engine.clockAheadMs?.() ?? null, config.credits.holdMs)
  // Created on first use: describing a shipped file requires compiling it.
  let facts: ReturnType<typeof describeProviders> | null = null
  const providers = {
    get facts() {
      return (facts ??= describeProviders(config.upstream))
    },
    currency: config.upstream.currency,
    states: () => upstream.chain.states(),
    // Callers pass a name from the facts above.
    check: (name: string) => upstream.check(name),
    confirm: (name: string, identifier: Identifier) => upstream.confirm(name, identifier),
  }
  return {
    version,
    store,
    suppressions,
    callCounts,
    admin,
    providers,
    fastPath: true,
    platformHosts: config.platformHosts,
    creditValue: config.credits.value,
    watchesAtMost: config.watches.perEnvironment,
    settings: publicSettings(config),
    variables: config.origin.variables,
    retention: retentionRules(config),
    rewriteAtMs: config.rewriteAtMs,
    backups: openBackups({ config, store, suppressions, operationsModule, clock, startThread, reading }),
    metricsText: () => metrics.text(),
    callsWritten: () => callLog.flush(),
    diagnose: () =>
      diagnose({
        config,
        store,
        callCounts,
        clock,
        providers,
        dataDir: folder.path,
        redisConnected: engine.redisConnected,
        clockSkew,
      }),
    lateBackup: () => {
      const finding = checkBackups(config, clock.now())
      return finding.state === 'ok' || config.backup.dir === null ? null : `It is overdue. ${finding.detail}.`
    },
    clockSkew,
    diskRoom: () => (disk && disk.freeBytes >= 0 ? disk : null),
    readiness: watchReadiness(engine, upstream.chain, disk, config.credits.holdMs),
    prices,
    // Every node reads a book before it becomes valid; a single process reads it at once.
    priceLeadMs: engine.kind === 'embedded' ? 0 : 60_000,
    ...changeEvents(peers, keyCache, cache, prices),
  }
}

/** The dependencies of an attempt to deliver an event. */
export function webhookDeps({ config, clock, engine, metrics }: Parts): AskedDeliveryDeps {
  return {
    store: engine.store,
    clock,
    secret: engine.secret,
    target: { rules: targetRules(config.webhookNetworks), resolve: resolveName, kept: keepConnections() },
    onAttempt: (outcome) => metrics.delivered(outcome),
  }
}

/** Invalidates caches after a change, here and in every other process. */
function changeEvents(
  peers: Peers,
  keyCache: KeyCache,
  cache: RecordCache,
  prices: PriceBooks,
): Pick<AppDeps, 'keysChanged' | 'recordsChanged' | 'pricesChanged'> {
  return {
    keysChanged: async () => {
      keyCache.forget()
      await peers.notify({ topic: 'keys' })
    },
    pricesChanged: async () => {
      await prices.read()
      await peers.notify({ topic: 'prices' })
    },
    recordsChanged: async () => {
      cache.clear()
      await peers.notify({ topic: 'records', names: [], entityIds: [], all: true })
    },
  }
}

/** The Prometheus gauges of the store, Redis and the backups. */
export function storeGauges(
  { upstream, backup, databaseUrl, rewriteAtMs }: Config,
  engine: Engine,
  { callCounts, clock, disk }: Pick<Parts, 'callCounts' | 'clock' | 'disk'>,
): StoreGauges {
  const { store, redisConnected, clockAheadMs } = engine
  const { dir, everyMs } = backup
  return new StoreGauges({
    store,
    callCounts,
    clock,
    budgets: upstream.chain.map((provider) => ({
      provider,
      budget: upstream.settings[provider]?.monthlyBudget ?? null,
    })),
    redisConnected,
    clockAheadMs,
    disk,
    rewriteAtMs: databaseUrl === null ? null : rewriteAtMs,
    backup: dir === null || databaseUrl !== null ? null : { everyMs, newestAt: () => newestBackupAt(dir) },
  })
}

const readyWithinMs = 2_000
/** Anyone may ask, and on the embedded engine the check costs an fsync. */
const askStoreEveryMs = 1_000

/** Ready means that the store accepts writes: otherwise no call can be billed, so none is served. */
function watchReadiness(
  { store, peers, limiter, redisConnected, clockAheadMs }: Engine,
  chain: Chain,
  disk: DiskRoom | null,
  holdMs: number,
): () => Promise<{ ready: boolean; checks: Record<string, unknown> }> {
  let asked: { at: number; fault: Promise<string | null> } | null = null
  const storeFault = (): Promise<string | null> => {
    if (asked && performance.now() - asked.at < askStoreEveryMs) return asked.fault
    asked = { at: performance.now(), fault: store.database.ping(null).then(() => null, faultIn) }
    return asked.fault
  }
  return async () => {
    const fault = await Promise.race([storeFault(), pause(readyWithinMs, 'it does not answer', { ref: false })])
    const hasRoom = disk === null || (await disk.look())
    const checks = {
      store: fault === null ? 'ok' : 'unreachable',
      ...(fault === null ? {} : { store_fault: fault }),
      ...(disk ? { disk: hasRoom ? 'ok' : 'full' } : {}),
      ...(clockAheadMs ? clockCheck(clockAheadMs(), holdMs) : {}),
      neighbours: peers.connected ? 'ok' : 'disconnected',
      redis: redisConnected ? (redisConnected() ? 'ok' : 'disconnected') : 'not_configured',
      ...limitsCheck(limiter.state?.()),
      upstream: chain.states(),
    }
    return { ready: fault === null && hasRoom, checks }
  }
}

/** A node without Redis admits calls of a key only if it has known every window for as long as the key's is. */
function limitsCheck(state: { isDivided: boolean; knownForMs: number } | undefined): Record<string, unknown> {
  if (!state?.isDivided) return {}
  return { rate_limits: 'divided', rate_limits_known_seconds: Math.floor(state.knownForMs / 1_000) }
}

/** A wrong clock takes no node out of service: if the database's own clock was set, all nodes would be out. */
function clockCheck(aheadMs: number, holdMs: number): Record<string, unknown> {
  const skew = skewOf(aheadMs, holdMs)
  return { clock: skew ? 'differs' : 'ok', clock_ahead_ms: aheadMs, ...(skew && { clock_fault: skew.detail }) }
}

/** For operators: a failure's message is for callers; its cause says what happened. */
function faultIn(error: unknown): string {
  const cause = error instanceof Failure && error.cause ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
