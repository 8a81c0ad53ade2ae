import { EventEmitter } from 'node:events'
import { LocalRateLimiter } from '../../../src/accounts/rate-limits/rate-limiter.ts'
import { buildService, type Service } from '../../../src/app/build-service.ts'
import { backgroundJobs, startJobs } from '../../../src/app/jobs/background-jobs.ts'
import type { Engine } from '../../../src/app/deps/engine.ts'
import { DatabaseClock } from '../../../src/cluster/database-clock.ts'
import { joinNodeRegistry } from '../../../src/cluster/node-registry.ts'
import { noPeers } from '../../../src/cluster/peers.ts'
import { RedisPeers } from '../../../src/cluster/redis-peers.ts'
import { readConfig, type Config } from '../../../src/config/config.ts'
import { fixedValues } from '../../../src/config/fixed-values.ts'
import type { OpenDatabase } from '../../harness/engines.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { openDataFolder } from '../../../src/foundation/data-folder.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { openSecret } from '../../../src/lifecycle/suppression/open-secret.ts'
import { SuppressionList } from '../../../src/lifecycle/suppression/suppression-list.ts'
import { openSuppressions } from '../../../src/lifecycle/suppression/open-suppressions.ts'
import { createBudget } from '../../../src/providers/call-counts.ts'
import { createSend } from '../../../src/providers/transport/send-with-retries.ts'
import { createChain } from '../../../src/providers/chain/chain.ts'
import { storeRunBy } from '../../harness/store-on.ts'
import type { SeedStore } from './sqlite-engine.ts'
import type { Receivers } from './receivers.ts'
import type { SimulatedProvider } from './simulated-provider.ts'
import type { NodeRedis, SimulatedRedis } from './simulated-redis.ts'
import { SimulatedStore } from './simulated-store.ts'
import { priceLinesOf, settingsOf, type Terms } from './terms.ts'
import type { Unheard } from './unheard.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** One life of a process: from its start on existing data to its death. */
export interface Life extends Owner {
  /** The number of the node. */
  readonly node: number
  service: Service
  store: SimulatedStore
  /** Null for a single node, or for nodes that share only the store. */
  redis: NodeRedis | null
  /** For the oracle's checks. */
  database: OpenDatabase
  /** Whether all messages of other nodes have arrived, or the node relies on no cache. */
  readonly isUpToDate: boolean
  /** The background jobs in progress. */
  jobs(): string[]
  /** Makes it do something. While it is frozen, the work waits. */
  ask<Result>(work: () => Promise<Result>): Promise<Result>
  freeze(): void
  /** Whether the waiting work runs before or after the messages of other nodes. */
  wake(asksFirst: boolean): void
  die(statements: number | null): Promise<void>
}

const log = createLog('silent', false)

/** The state that all nodes of a seed share. */
export interface World {
  seedStore: SeedStore
  time: VirtualTime
  provider: SimulatedProvider
  receivers: Receivers
  unheard: Unheard
  redis: SimulatedRedis
  terms: Terms
}

/** Starts a node on existing data. */
export function startLife(world: World, node: number): Promise<Life> {
  const { skews, machineAheadMs } = world.terms
  const owner: Owner = { skewMs: skews[node] ?? 0, machineAheadMs: machineAheadMs[node] ?? 0, isFrozen: false }
  return world.time.within(owner, () => begin(world, node, owner))
}

/** Uses the scheduler's store, provider and time in place of the real ones. */
async function begin(world: World, node: number, owner: Owner): Promise<Life> {
  const { seedStore, time, provider: upstream, receivers, unheard, terms } = world
  const isAlone = terms.skews.length === 1
  const redis = isAlone || !terms.redis ? null : world.redis.connect(owner)
  const env = {
    LOG_LEVEL: 'silent',
    VITAE_DATA_DIR: seedStore.folder,
    VITAE_RATE_LIMIT: '1000000/60s',
    VITAE_UPSTREAM_TOTAL_MS: '20000',
    ...settingsOf(terms),
    // The time of two jumps.
    VITAE_STALE_MAX_DAYS: '10',
    // Longer than a seed, because removed results cannot be compared.
    VITAE_BATCH_DAYS: '365',
    VITAE_WEBHOOK_NETWORKS: '203.0.113.0/24',
  }
  const config = readConfig(env, { fixed: { maxLagMs: 9_000_000_000, priceLines: priceLinesOf(terms) } })
  const opened = await seedStore.open()
  const store = new SimulatedStore(opened, unheard, seedStore.isCompared ? () => time.rest() : null)
  const engine = await store.atOnce(() =>
    isAlone ? prepare(store, seedStore, time.clock) : join(store, seedStore, owner, redis),
  )
  const { clock } = engine
  const onFatal = (error: Error) => {
    throw error
  }
  const service = await store.atOnce(() => buildService({ config, log, clock, engine, onFatal }))
  const breaker = { failures: 1_000_000, openMs: 1_000 }
  const links = upstream.providers.map(({ provider, exchange }) => {
    const sender = createSend(provider.name, { exchange, clock, totalMs: 20_000, breaker })
    return { provider, sender, totalMs: 20_000, price: 1 }
  })
  const budget = createBudget(service.callCounts, {})
  service.lookup.chain = createChain({ links, onNotFound: true, budget, clock })
  const jobs = startBackground(config, service, clock, engine.readTime)
  if (terms.webhooks) service.webhookSender.start()
  await store.atOnce(() => service.batchRunner.start())
  let asked: (() => void)[] = []
  const life = {
    node,
    service,
    store,
    redis,
    database: opened.database,
    get isUpToDate() {
      return !owner.isFrozen && (redis === null || redis.isUpToDate)
    },
    jobs,
    ask<Result>(work: () => Promise<Result>): Promise<Result> {
      if (!owner.isFrozen) return time.within(owner, work)
      return new Promise((resolve) => asked.push(() => resolve(time.within(owner, work))))
    },
    freeze() {
      owner.isFrozen = store.isFrozen = true
    },
    wake(asksFirst: boolean) {
      owner.isFrozen = store.isFrozen = false
      if (!asksFirst) redis?.deliver(redis.waiting)
      for (const ask of asked) ask()
      asked = []
    },
    async die(statements: number | null) {
      await store.die(statements)
      owner.isFrozen = false
      time.forget(owner)
      upstream.forget(owner)
      receivers.forget(owner)
      await redis?.close()
      engine.folder.close()
    },
  }
  // One object, because timers and requests are identified by their owner.
  return Object.defineProperties(owner, Object.getOwnPropertyDescriptors(life)) as Life
}

const wanted = new Set([
  'grant recurring credits',
  'refresh due watches',
  'resume watches',
  'bring back watches',
  'release expired holds',
  'prune idempotency records',
])

/** Starts the background jobs that affect money. Returns the list of running ones. */
function startBackground(config: Config, service: Service, clock: Clock, readTime: Engine['readTime']): () => string[] {
  const running = new Set<string>()
  const { store, recordsChanged } = service
  const jobs = backgroundJobs({ config, store, clock, readTime, log, recordsChanged, service })
  const counted = jobs.map((job) => ({
    ...job,
    async run() {
      running.add(job.name)
      await job.run().finally(() => running.delete(job.name))
    },
  }))
  startJobs(
    counted.filter(({ name }) => wanted.has(name)),
    log,
  )
  return () => [...running]
}

/** The parts that all engines share here. */
function common(seedStore: SeedStore, clock: Clock) {
  const folder = openDataFolder(seedStore.folder, { exclusive: false })
  const limiter = new LocalRateLimiter(clock)
  const close = async () => folder.close()
  const senderWork = new EventEmitter<{ work: [] }>()
  return { folder, limiter, clock, clockAheadMs: null, ownerToken: 'none', redisConnected: null, senderWork, close }
}

/** The same preparation as in `open-engine.ts`. */
async function prepare(store: SimulatedStore, seedStore: SeedStore, clock: Clock): Promise<Engine> {
  const bare = storeRunBy(store.run)
  const alone = { ...common(seedStore, clock), store: bare, peers: noPeers }
  // Holds of dead processes expire by time here, because other nodes may be alive.
  if (seedStore.databaseUrl !== null || seedStore.isCompared)
    return { ...alone, kind: 'postgres', suppressions: new SuppressionList(bare, null), secret }
  const own = await openSecret({ store: bare, folder: alone.folder, configured: null })
  const opening = { store: bare, folder: alone.folder, secret: own, backupDir: null, at: clock.now(), log }
  const suppressions = await openSuppressions(opening)
  await bare.credits.releaseHolds({ at: clock.now(), all: true })
  await bare.leases.freeLeases(null)
  return { ...alone, kind: 'embedded', suppressions, secret: own }
}

const secret = 'simulation'

/** The same as `open-scale-out-engine.ts`, except for the rate limits that Redis counts. */
async function join(
  store: SimulatedStore,
  seedStore: SeedStore,
  owner: Owner,
  redis: NodeRedis | null,
): Promise<Engine> {
  const bare = storeRunBy(store.run)
  const machineClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
  const databaseClock = new DatabaseClock(machineClock)
  // The heartbeat may wait for days here. The error of a quick one is `skewMs`.
  const observe = () => {
    // The world's time, whichever node's heartbeat is running.
    const at = machineClock.elapsed()
    databaseClock.observe({ databaseAt: at, sentAt: at, receivedAt: at })
  }
  const clock: Clock = { now: () => databaseClock.now() + owner.skewMs, elapsed: machineClock.elapsed }
  const isCutOff = () => !redis?.connected
  const nodeRegistry = await joinNodeRegistry({
    ...{ store: bare, log, isCutOff, clock: { observe }, deadAfterMs: fixedValues.nodeDeadAfterMs },
  })
  const peers = new RedisPeers({ redis, nodeRegistry, instance: 'simulation' })
  const suppressions = new SuppressionList(bare, null)
  const parts = { ...common(seedStore, clock), store: bare, peers, suppressions, secret }
  const readTime = async () => void (await nodeRegistry.refresh())
  return { ...parts, kind: 'postgres', clockAheadMs: () => databaseClock.machineAheadMs, readTime }
}
