import { randomUUID } from 'node:crypto'
import { LocalRateLimiter, type RateLimiter } from './accounts/rate-limiter.ts'
import { SharedRateLimiter } from './accounts/shared-rate-limiter.ts'
import type { Config } from './config.ts'
import type { Clock } from './foundation/clock.ts'
import { openPostgresStore } from './foundation/database/open-postgres-store.ts'
import { openSqliteStore } from './foundation/database/open-sqlite-store.ts'
import { storeOver, type RunOperation } from './foundation/database/store.ts'
import { openDataFolder, randomSecret, type DataFolder } from './foundation/data-folder.ts'
import type { Log } from './foundation/log.ts'
import { noNeighbours, unknownNeighbours, type Neighbours } from './foundation/neighbours.ts'
import { openRedis } from './foundation/redis.ts'
import { redisNeighbours } from './foundation/redis-neighbours.ts'
import { countNodes } from './foundation/count-nodes.ts'
import { shareSecret } from './foundation/share-secret.ts'
import type { HouseStore } from './http/needs.ts'
import { operations } from './store-operations.ts'

/** What a house stands on: its store, its secrets, and the processes that it shares them with. */
export interface Ground {
  engine: 'embedded' | 'postgres'
  folder: DataFolder
  store: HouseStore
  run: RunOperation
  ownerToken: string
  /** Keys the hashes of idempotency values and of suppressed aliases. */
  secret: string
  limiter: RateLimiter
  neighbours: Neighbours
  close(): Promise<void>
}

export interface GroundOptions {
  config: Config
  log: Log
  clock: Clock
  /** Called when the embedded store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
}

/** Opens the engine that the configuration names. */
export function openGround(options: GroundOptions): Promise<Ground> {
  const { databaseUrl } = options.config
  return databaseUrl === null ? openEmbedded(options) : openScaleOut(options, databaseUrl)
}

async function openEmbedded({ config, clock, onFatal }: GroundOptions): Promise<Ground> {
  const folder = openDataFolder(config.dataDir, { exclusive: true })
  try {
    const operationsModule = new URL('./store-operations.ts', import.meta.url).href
    const opened = await openSqliteStore({ path: folder.storePath, operationsModule, now: clock.now() }, onFatal)
    const store: HouseStore = storeOver(Object.keys(operations), opened.run)
    // The embedded engine belongs to one service: what a dead one held is free again.
    await store.releaseHolds({ at: clock.now(), all: true })
    return {
      engine: 'embedded',
      folder,
      store,
      run: opened.run,
      ownerToken: config.adminToken ?? folder.secret('admin-token', randomSecret),
      secret: config.secretKey ?? folder.secret('secret-key', randomSecret),
      limiter: new LocalRateLimiter(clock),
      neighbours: noNeighbours,
      async close() {
        await opened.close()
        folder.close()
      },
    }
  } catch (error) {
    folder.close()
    throw error
  }
}

async function openScaleOut({ config, log, clock }: GroundOptions, databaseUrl: string): Promise<Ground> {
  const folder = openDataFolder(config.dataDir, { exclusive: false })
  const onError = (error: Error) => log.warn({ err: error }, 'a connection to PostgreSQL broke')
  const opened = await openPostgresStore({ url: databaseUrl, operations, now: clock.now(), onError })
  const store: HouseStore = storeOver(Object.keys(operations), opened.run)
  const instance = await store.ensureSetting({ name: 'instance', value: randomUUID() })
  const secret = await shareSecret({ store, folder, configured: config.secretKey, databaseUrl, log })
  const redis = config.redisUrl === null ? null : openRedis(config.redisUrl, log)
  const nodes = await countNodes(store, log)
  return {
    engine: 'postgres',
    folder,
    store,
    run: opened.run,
    ownerToken: config.adminToken ?? folder.secret('admin-token', randomSecret),
    secret,
    limiter: new SharedRateLimiter({ redis, clock, instance, nodes: nodes.alive }),
    neighbours: redis ? redisNeighbours(redis, instance) : unknownNeighbours,
    async close() {
      await nodes.close()
      await redis?.close()
      await opened.close()
      folder.close()
    },
  }
}
