import { EventEmitter } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { LocalRateLimiter } from '../../../src/accounts/rate-limits/rate-limiter.ts'
import { buildService, type Service } from '../../../src/app/build-service.ts'
import { backgroundJobs } from '../../../src/app/jobs/background-jobs.ts'
import { noPeers } from '../../../src/cluster/peers.ts'
import { readConfig } from '../../../src/config/config.ts'
import { openDataFolder } from '../../../src/foundation/data-folder.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { buildApp } from '../../../src/http/app.ts'
import { openSecret } from '../../../src/lifecycle/suppression/open-secret.ts'
import { openSuppressions } from '../../../src/lifecycle/suppression/open-suppressions.ts'
import { createBudget } from '../../../src/providers/call-counts.ts'
import { createChain } from '../../../src/providers/chain/chain.ts'
import { providerRegistry } from '../../../src/providers/registry.ts'
import { createSend } from '../../../src/providers/transport/send-with-retries.ts'
import type { OpenDatabase } from '../../harness/engines.ts'
import { storeRunBy } from '../../harness/store-on.ts'
import type { SeedStore } from '../../simulation/world/sqlite-engine.ts'
import type { VirtualTime } from '../../simulation/world/virtual-time.ts'
import type { Vendors } from '../lenses/vendors.ts'

export interface Answer {
  status: number
  headers: Record<string, unknown>
  text: string
  json: Record<string, unknown>
}

interface Options {
  time: VirtualTime
  seedStore: SeedStore
  vendors: Vendors
}

const log = createLog('silent', false)
const ownerToken = 'owner-of-the-world'
const place = { project: 'acme', environment: 'production' }
const upstreamTotalMs = 20_000

/**
 * The complete service in this process behind its HTTP application, with the real providers over the lenses of a seed.
 */
export class WorldService {
  readonly #time: VirtualTime
  readonly #app: FastifyInstance
  readonly #jobs: Map<string, () => Promise<unknown>>
  readonly #close: () => Promise<void>
  readonly database: OpenDatabase
  #key = ''

  private constructor(
    time: VirtualTime,
    app: FastifyInstance,
    jobs: Map<string, () => Promise<unknown>>,
    database: OpenDatabase,
    close: () => Promise<void>,
  ) {
    this.#time = time
    this.#app = app
    this.#jobs = jobs
    this.database = database
    this.#close = close
  }

  static async open(options: Options): Promise<WorldService> {
    const { time, seedStore } = options
    const { clock } = time
    const env = {
      LOG_LEVEL: 'silent',
      VITAE_DATA_DIR: seedStore.folder,
      VITAE_RATE_LIMIT: '1000000/60s',
      VITAE_UPSTREAM_TOTAL_MS: String(upstreamTotalMs),
    }
    const config = readConfig(env, { fixed: { maxLagMs: 9_000_000_000 } })
    const opened = await seedStore.open()
    const store = storeRunBy(opened.run)
    const folder = openDataFolder(seedStore.folder, { exclusive: false })
    const secret = await openSecret({ store, folder, configured: null })
    const suppressions = await openSuppressions({ store, folder, secret, backupDir: null, at: clock.now(), log })
    const engine = {
      ...{ kind: 'embedded' as const, folder, store, peers: noPeers, suppressions, secret, ownerToken },
      limiter: new LocalRateLimiter(clock),
      clock,
      clockAheadMs: null,
      redisConnected: null,
      senderWork: new EventEmitter<{ work: [] }>(),
      close: async () => folder.close(),
    }
    const onFatal = (error: Error) => {
      throw error
    }
    const service = await buildService({ config, log, clock, engine, onFatal })
    askLenses(service, options)
    const { recordsChanged } = service
    const jobs = backgroundJobs({ config, store: service.store, clock, log, recordsChanged, service })
    await service.batchRunner.start()
    const app = await buildApp(service, 'both')
    const close = async () => {
      await app.close()
      await service.close()
      await opened.close()
    }
    const world = new WorldService(time, app, new Map(jobs.map(({ name, run }) => [name, run])), opened.database, close)
    await world.#makeKey()
    return world
  }

  async #makeKey(): Promise<void> {
    const made = await this.#send('POST', '/admin/v1/keys', { ...place, mode: 'live' })
    this.#key = String(made.json['key'])
    await this.#send('POST', '/admin/v1/credits/grants', { ...place, amount: 1_000_000 })
  }

  get(path: string): Promise<Answer> {
    return this.#send('GET', path)
  }

  post(path: string, body: object | string): Promise<Answer> {
    return this.#send('POST', path, body)
  }

  /** Waits until a batch has ended, or is paused because vendors are down. */
  async untilBatch(id: string): Promise<void> {
    for (let turn = 0; turn < 1_000; turn++) {
      const { json } = await this.get(`/v1/batches/${id}`)
      if (!['queued', 'running'].includes(String(json['status']))) return
      await this.#time.advance(500)
      await this.#time.rest()
    }
    throw new Error(`batch ${id} never ends`)
  }

  /** Runs one background job, like its timer. */
  async runJob(name: string): Promise<void> {
    const job = this.#jobs.get(name)
    if (!job) throw new Error(`there is no job ${name}`)
    await this.until(job())
  }

  async close(): Promise<void> {
    await this.until(this.#close())
  }

  /** Waits for a promise, and advances time if it waits for a timer. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    for (let turn = 0; !isOver; turn++) {
      await this.#time.rest()
      if (!isOver) await this.#time.advance(250)
      if (turn > 10_000) throw new Error('something never ends')
    }
    return work
  }

  async #send(method: 'GET' | 'POST', url: string, body?: object | string): Promise<Answer> {
    const isText = typeof body === 'string'
    const headers = url.startsWith('/admin') ? { authorization: `Bearer ${ownerToken}` } : { apikey: this.#key }
    const type = isText ? 'application/x-ndjson' : 'application/json'
    const asked = this.#app.inject({
      method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
    })
    const { statusCode: status, headers: told, payload: text } = await this.until(asked)
    const isJson = String(told['content-type']).includes('json') && !String(told['content-type']).includes('ndjson')
    const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { status, headers: told, text, json }
  }
}

/** Makes the chain call the vendors of the seed, each through its own adapter. */
function askLenses(service: Service, { time: { clock }, vendors }: Options): void {
  const links = vendors.order.map((name) => {
    const { create, defaultUrl } = providerRegistry[name]
    const provider = create({ url: defaultUrl, key: 'key' })
    const breaker = { failures: 1_000_000, openMs: 1_000 }
    const sender = createSend(name, { exchange: vendors.exchange(name), clock, totalMs: upstreamTotalMs, breaker })
    return { provider, sender, totalMs: upstreamTotalMs, price: 1 }
  })
  const budget = createBudget(service.callCounts, {})
  service.lookup.chain = createChain({ links, onNotFound: true, budget, clock })
}
