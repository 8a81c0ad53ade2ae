import { EventEmitter } from 'node:events'
import { createHmac, randomUUID } from 'node:crypto'
import { SharedRateLimiter } from '../accounts/rate-limits/shared-rate-limiter.ts'
import { findPooler } from '../database/postgres/find-pooler.ts'
import { openPostgresStore } from '../database/postgres/open-postgres-store.ts'
import { storeOver, type OpenedOperations } from '../database/engine/operation.ts'
import { openDataFolder, StartError, type DataFolder } from '../foundation/data-folder.ts'
import { systemClock } from '../foundation/clock.ts'
import { DatabaseClock } from '../cluster/database-clock.ts'
import { openRedis } from '../cluster/redis.ts'
import { RedisPeers } from '../cluster/redis-peers.ts'
import { joinNodeRegistry } from '../cluster/node-registry.ts'
import { shareSecret } from '../cluster/share-secret.ts'
import type { Engine, EngineOptions } from './deps/engine.ts'
import { SuppressionList } from '../lifecycle/suppression/suppression-list.ts'
import { operations } from './store/operations.ts'
import type { WholeStore } from './store/service-store.ts'

const redisWithinMs = 1_000

/** Opens PostgreSQL and Redis, and joins the other nodes. */
export async function openScaleOut(options: EngineOptions, databaseUrl: string): Promise<Engine> {
  const folder = openDataFolder(options.config.dataDir, { exclusive: false })
  const senderWork: Engine['senderWork'] = new EventEmitter()
  const opened = await openDatabase(options, databaseUrl, () => void senderWork.emit('work'))
  try {
    return { ...(await join(options, databaseUrl, folder, opened)), senderWork }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openDatabase(
  { config, clock = systemClock, log }: EngineOptions,
  url: string,
  onSenderWork: () => void,
) {
  const onError = (error: Error) => log.warn({ err: error }, 'a connection to PostgreSQL broke')
  try {
    const pooler = await findPooler(url, onError)
    if (pooler !== null) log.info(pooler, 'a pooler is in front of PostgreSQL: every transaction sets its own limits')
    const { postgresPatience: patience } = config
    return await openPostgresStore({ url, operations, now: clock.now(), pooler, patience, onError, onSenderWork })
  } catch (error) {
    const { hostname, port, pathname } = new URL(url)
    throw new StartError(`DATABASE_URL ${hostname}:${port || 5432}${pathname} cannot be used: ${reason(error)}`, {
      cause: error,
    })
  }
}

async function join(
  { config, log, clock: givenClock, machineClock = systemClock }: EngineOptions,
  databaseUrl: string,
  folder: DataFolder,
  opened: OpenedOperations & { close(): Promise<void> },
): Promise<Omit<Engine, 'senderWork'>> {
  const store = storeOver<WholeStore>(opened)
  const instance = await store.settings.ensureSetting({ name: 'instance', value: randomUUID() })
  const secret = await shareSecret({ store, folder, configured: config.secretKey, databaseUrl })
  const redis = config.redisUrl === null ? null : openRedis(config.redisUrl, log, config.redisPatience)
  // Waits for an available Redis, so that a start does not look like a loss to the other nodes.
  if (redis && !(await redis.settled(redisWithinMs * config.redisPatience)))
    log.warn(
      'Redis (REDIS_URL) has not answered since the start: limits are divided between the nodes and caches are bypassed until it does',
    )
  const databaseClock = new DatabaseClock(machineClock)
  const clock = givenClock ?? databaseClock
  const isCutOff = () => !redis?.connected
  const { nodeDeadAfterMs: deadAfterMs } = config
  const nodeRegistry = await joinNodeRegistry({ store, log, isCutOff, clock: databaseClock, deadAfterMs })
  const peers = new RedisPeers({ redis, nodeRegistry, instance, patience: config.redisPatience })
  const limiter = new SharedRateLimiter({ redis, nodeRegistry, peers, clock, log, instance })
  return {
    kind: 'postgres',
    folder,
    store,
    suppressions: new SuppressionList(store, null),
    ownerToken: config.adminToken ?? commonToken(folder, secret),
    secret,
    limiter,
    clock,
    clockAheadMs: givenClock ? null : () => databaseClock.machineAheadMs,
    readTime: async () => void (await nodeRegistry.refresh()),
    peers,
    redisConnected: redis && (() => redis.connected),
    async close() {
      await nodeRegistry.close()
      await redis?.close()
      await opened.close()
      folder.close()
    },
  }
}

/** The same token on all nodes, because a load balancer may send an operator to any of them. */
function commonToken(folder: DataFolder, secret: string): string {
  const token = createHmac('sha256', secret).update('vitae owner token').digest('base64url')
  folder.write('admin-token', `${token}\n`)
  return token
}

function reason(error: unknown): string {
  // Several addresses may have failed; the first error is enough.
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  return one instanceof Error ? one.message : String(one)
}
