import { createBatchRunner, type BatchRunner } from '../batches/run/batch-runner.ts'
import { cacheBudget } from '../config/cache-budget.ts'
import { CallLog } from './deps/call-log.ts'
import { PriceBooks } from '../credits/prices/price-books.ts'
import type { DataFolder } from '../foundation/data-folder.ts'
import { watchLoad } from '../foundation/pacing/load-guard.ts'
import { Scheduler } from '../foundation/pacing/scheduler.ts'
import { openEngine } from './open-engine.ts'
import type { Engine, EngineOptions } from './deps/engine.ts'
import type { AppDeps } from '../http/exchange/deps.ts'
import { RecordCache } from '../lookup/recall/record-cache.ts'
import { WebhookSender } from '../events/webhooks/sender.ts'
import { DiskRoom } from './deps/disk-room.ts'
import { Metrics } from './metrics/metrics.ts'
import { noProvider } from '../providers/chain/fault-to-failure.ts'
import { CallCounts } from '../providers/call-counts.ts'
import { openProviders } from '../providers/open-providers.ts'
import { exportPages } from '../http/admin/exports/export-pages.ts'
import { createExportRunner, type ExportRunner } from '../lifecycle/exports/export-runner.ts'
import { batchDeps, callerDeps } from './deps/caller-deps.ts'
import { operatorDeps, storeGauges, webhookDeps } from './deps/operator-deps.ts'
import type { KeyCache } from '../accounts/caller.ts'
import { noPeers, type Peers } from '../cluster/peers.ts'
import type { FetchOutcomes } from '../lookup/payment/fetch-outcomes.ts'

/** The whole service except its listeners: everything is built once, and closed in reverse order. */
export interface Service extends AppDeps {
  folder: DataFolder
  /** Runs batches in the background once it is started. */
  batchRunner: BatchRunner
  /** Prepares exports in the background once it is started. */
  exportRunner: ExportRunner
  /** Delivers events to webhooks once it is started. */
  webhookSender: WebhookSender
  /** Reports an unhandled failure in a provider's code. */
  strayFailure(provider: string, what: string): void
  close(): Promise<void>
}

interface Options extends EngineOptions {
  /** An open engine, which its opener closes. */
  engine?: Engine
}

/** Builds the service from its configuration. */
export async function buildService(options: Options): Promise<Service> {
  const { config, log, startThread, reading } = options
  const engine = options.engine ?? (await openEngine(options))
  const { clock = engine.clock } = options
  const { folder, store, peers } = engine
  if (config.upstream.chain.length === 0) log.warn(noProvider)
  const guard = watchLoad(config.http)
  const scheduler = new Scheduler()
  const cache = new RecordCache(cacheBudget(config).recordBytes)
  const disk = engine.kind === 'embedded' ? new DiskRoom(folder.path, log) : null
  const callCounts = new CallCounts(store.callCounts)
  const gauges = storeGauges(config, engine, { callCounts, clock, disk })
  const metrics = new Metrics({ guard, cacheBytes: () => cache.bytesHeld, gauges })
  const upstream = await openProviders({
    config: config.upstream,
    counts: callCounts,
    clock,
    log,
    onAttempt: metrics.asked,
    providerStates: store.providers.providerStates,
  })
  metrics.watchProviders(upstream.chain)
  const callLog = new CallLog({ store, clock, log, metrics, secret: engine.secret })
  const prices = new PriceBooks({ store, clock, log, variables: config.credits.prices })
  await prices.read()
  const parts = {
    config,
    log,
    clock,
    engine,
    callCounts,
    guard,
    scheduler,
    cache,
    metrics,
    upstream,
    callLog,
    prices,
    disk,
    startThread,
    reading,
  }
  const forCallers = callerDeps(parts)
  const { keyCache, lookup } = forCallers
  const webhooks = webhookDeps(parts)
  const webhookSender = new WebhookSender({ ...webhooks, store, log, scheduler })
  const wakeSender = () => webhookSender.wake(() => peers.notify({ topic: 'events' }))
  engine.senderWork.on('work', wakeSender)
  followPeerEvents({ peers, keyCache, callCounts, cache, prices, fetchOutcomes: lookup.fetchOutcomes, webhookSender })
  const batches = batchDeps(parts, forCallers)
  const batchRunner = createBatchRunner(batches)
  const exportRunner = createExportRunner({ store, clock, log, pages: (job) => exportPages(service, job) })
  const service: Service = {
    ...forCallers,
    ...operatorDeps(parts, keyCache),
    webhooks: { ...webhooks, atMost: config.webhooksAtMost },
    webhookSender,
    folder,
    batches: { ...batches, wake: () => batchRunner.wake() },
    batchRunner,
    exports: exportRunner,
    exportRunner,
    strayFailure(provider, what) {
      metrics.strayed(provider)
      lookup.faultLog.noteStray(provider, what)
    },
    async close() {
      await batchRunner.close()
      await exportRunner.close()
      prices.close()
      guard.close()
      disk?.close()
      engine.senderWork.off('work', wakeSender)
      await webhookSender.close()
      await callLog.close()
      await upstream.close()
      await peers.close()
      await callCounts.close()
      if (!options.engine) await engine.close()
    },
  }
  return service
}

interface Deps {
  peers: Peers
  keyCache: KeyCache
  callCounts: CallCounts
  cache: RecordCache
  prices: Pick<PriceBooks, 'refresh'>
  fetchOutcomes: FetchOutcomes
  webhookSender: Pick<WebhookSender, 'wake'>
}

/** Reacts to events of other processes. If they cannot be received, nothing that they could change is cached. */
function followPeerEvents(deps: Deps): void {
  const { peers, keyCache, callCounts, cache, prices, fetchOutcomes, webhookSender } = deps
  if (peers === noPeers) return
  // Checked at each use: a process that was frozen may serve from its cache before any event reaches it.
  keyCache.mayCache = cache.mayCache = callCounts.mayCache = () => peers.connected && peers.isWaitedFor
  peers.onConnection(() => {
    // Cleared at both changes: cached data may have changed while the connection was lost.
    keyCache.forget()
    callCounts.forget()
    cache.clear()
    // A price book may have been set while no event could be received.
    prices.refresh()
  })
  peers.listen((item) => {
    if (item.topic === 'keys') {
      keyCache.forget()
      callCounts.forget()
    } else if (item.topic === 'prices') prices.refresh()
    else if (item.topic === 'fetched') fetchOutcomes.heard(item.name, item.end)
    else if (item.topic === 'events') webhookSender.wake()
    else if (item.topic === 'records' && item.all) cache.clear()
    else if (item.topic === 'records') {
      for (const name of item.names) cache.forgetAlias(name)
      for (const entityId of item.entityIds) cache.forgetEntity(entityId)
    }
  })
}
