import { EventEmitter } from 'node:events'
import { LocalRateLimiter } from '../../../src/accounts/rate-limits/rate-limiter.ts'
import { buildService, type Service } from '../../../src/app/build-service.ts'
import { backgroundJobs, startJobs } from '../../../src/app/jobs/background-jobs.ts'
import type { Engine } from '../../../src/app/engine.ts'
import { noPeers } from '../../../src/cluster/peers.ts'
import { readConfig, type Config } from '../../../src/config/config.ts'
import type { OpenDatabase } from '../../harness/engines.ts'
import { storeOver } from '../../../src/database/store.ts'
import type { Clock } from '../../../src/foundation/clock.ts'
import { openDataFolder } from '../../../src/foundation/data-folder.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { openSecret } from '../../../src/lifecycle/suppression/open-secret.ts'
import { SuppressionList } from '../../../src/lifecycle/suppression/suppression-list.ts'
import { openSuppressions } from '../../../src/lifecycle/suppression/open-suppressions.ts'
import { createBudget } from '../../../src/providers/call-counts.ts'
import { createSend } from '../../../src/providers/transport/send-with-retries.ts'
import { createChain } from '../../../src/providers/chain/chain.ts'
import { operations } from '../../../src/app/store/operations.ts'
import type { SeedStore } from './sqlite-engine.ts'
import type { SimulatedProvider } from './simulated-provider.ts'
import { SimulatedStore } from './simulated-store.ts'
import { settingsOf, type Terms } from './terms.ts'
import type { Unheard } from './unheard.ts'
import type { VirtualTime } from './virtual-time.ts'

/** One life of the process: from its start on the data that are there to its death. */
export interface Life {
  service: Service
  store: SimulatedStore
  /** For the ledger. */
  database: OpenDatabase
  /** The background jobs that are under way. */
  jobs(): string[]
  die(statements: number | null): Promise<void>
}

const log = createLog('silent', false)

/** Starts the service on a data folder, with the scheduler's store, provider and time in the places of the real ones. */
export async function startLife(
  seedStore: SeedStore,
  time: VirtualTime,
  upstream: SimulatedProvider,
  unheard: Unheard,
  terms: Terms,
): Promise<Life> {
  const { clock } = time
  const config = readConfig({
    LOG_LEVEL: 'silent',
    VITAE_DATA_DIR: seedStore.folder,
    VITAE_RATE_LIMIT: '1000000/60s',
    VITAE_MAX_LAG_MS: '9000000000',
    VITAE_UPSTREAM_TOTAL_MS: '20000',
    ...settingsOf(terms),
    // Two leaps of time.
    VITAE_STALE_MAX_DAYS: '10',
    // Longer than a seed lasts: what is removed cannot be compared.
    VITAE_BATCH_DAYS: '365',
    VITAE_WEBHOOK_NETWORKS: '203.0.113.0/24',
  })
  const opened = await seedStore.open()
  const store = new SimulatedStore(opened, unheard)
  const engine = await store.atOnce(() => prepare(store, seedStore, time))
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
  const jobs = startBackground(config, service, clock)
  if (terms.webhooks) service.webhookSender.start()
  await store.atOnce(() => service.batchRunner.start({ alone: seedStore.databaseUrl === null }))
  return {
    service,
    store,
    database: opened.database,
    jobs,
    async die(statements) {
      await store.die(statements)
      time.forget()
      upstream.forget()
      engine.folder.close()
    },
  }
}

const wanted = new Set([
  'grant recurring credits',
  'look at due watches',
  'resume watches',
  'bring back watches',
  'release expired holds',
  'prune idempotency records',
])

/** The background jobs that money depends on; says which are under way. */
function startBackground(config: Config, service: Service, clock: Clock): () => string[] {
  const running = new Set<string>()
  const { store, recordsChanged } = service
  const jobs = backgroundJobs({ config, store, clock, log, recordsChanged, service })
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

/** What `open-engine.ts` does before it serves. */
async function prepare(store: SimulatedStore, seedStore: SeedStore, { clock }: VirtualTime): Promise<Engine> {
  const folder = openDataFolder(seedStore.folder, { exclusive: false })
  const bare = storeOver<typeof operations>({ names: Object.keys(operations), run: store.run })
  const limiter = new LocalRateLimiter(clock)
  const alone = { peers: noPeers, redisConnected: null, senderWork: new EventEmitter<{ work: [] }>() }
  const common = { folder, limiter, ownerToken: 'none', ...alone } as const
  const close = async () => folder.close()
  // There holds of dead processes end by their time, because other nodes may be alive.
  if (seedStore.databaseUrl !== null) {
    const suppressions = new SuppressionList(bare, null)
    return { ...common, kind: 'postgres', store: bare, suppressions, secret: 'simulation', close }
  }
  const secret = await openSecret({ store: bare, folder, configured: null })
  const suppressions = await openSuppressions({ store: bare, folder, secret, backupDir: null, at: clock.now(), log })
  await bare.releaseHolds({ at: clock.now(), all: true })
  return { ...common, kind: 'embedded', store: bare, suppressions, secret, close }
}
