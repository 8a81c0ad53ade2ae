import { EventEmitter } from 'node:events'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { LocalRateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import { cacheBudget } from '../config/cache-budget.ts'
import { openSqliteStore } from '../database/sqlite/open-sqlite-store.ts'
import { storeOver, type OpenedOperations } from '../database/engine/operation.ts'
import { openDataFolder, randomSecret, StartError, type DataFolder } from '../foundation/data-folder.ts'
import { systemClock, type Clock } from '../foundation/clock.ts'
import { noPeers } from '../cluster/peers.ts'
import type { Engine, EngineOptions } from './deps/engine.ts'
import { operationsModule, type WholeStore } from './store/service-store.ts'
import { openSuppressions, refuseHalfRestored } from '../lifecycle/suppression/open-suppressions.ts'
import type { SuppressionList } from '../lifecycle/suppression/suppression-list.ts'
import { openSecret } from '../lifecycle/suppression/open-secret.ts'

/** Opens the configured engine. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { databaseUrl } = options.config
  if (databaseUrl === null) return openEmbedded(options)
  // Loaded only if it is used: an embedded service starts faster without the drivers.
  const { openScaleOut } = await import('./open-scale-out-engine.ts')
  return openScaleOut(options, databaseUrl)
}

async function openEmbedded(options: EngineOptions): Promise<Engine> {
  const { config, log, onFatal: onDeath, startThread, reading } = options
  const clock = options.clock ?? options.machineClock ?? systemClock
  const folder = openDataFolder(config.dataDir, { exclusive: true })
  try {
    refuseHalfRestored(folder)
    refuseSaved(folder)
    const { pageBytes: cacheBytes } = cacheBudget(config)
    const data = { path: folder.storePath, operationsModule, now: clock.now(), cacheBytes, isServed: true }
    const senderWork: Engine['senderWork'] = new EventEmitter()
    const onSenderWork = () => void senderWork.emit('work')
    const onLost = (why: string) => log.error(why)
    const opened = await openSqliteStore(data, { onDeath, onLost, onSenderWork, startThread, reading })
    const { store, suppressions, secret } = await prepareStore({ ...options, clock }, folder, opened)
    return {
      kind: 'embedded',
      folder,
      store,
      suppressions,
      ownerToken: config.adminToken ?? folder.secret('admin-token', randomSecret),
      secret,
      limiter: new LocalRateLimiter(clock),
      clock,
      clockAheadMs: null,
      peers: noPeers,
      redisConnected: null,
      senderWork,
      endReports: () => opened.endReports(),
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

/**
 * A store that was saved because its files were removed is the complete one, unlike the files now in its place. It also
 * contains people whom a later erasure would not reach.
 */
function refuseSaved({ path, storePath }: DataFolder): void {
  const saved = readdirSync(path).find((name) => name.startsWith(`${basename(storePath)}.saved-`))
  if (saved === undefined) return
  throw new StartError(
    `${join(path, saved)} was saved when the store's files were removed under the running service. Move it to ${storePath} (without a -wal and a -shm beside it), or delete it to continue with the files that are there now`,
  )
}

/**
 * Everything that must happen before the embedded store may be served from; if it fails, the store's thread is ended.
 */
async function prepareStore(
  { config, log, clock }: EngineOptions & { clock: Clock },
  folder: DataFolder,
  opened: OpenedOperations & { close(): Promise<void> },
): Promise<{ store: WholeStore; suppressions: SuppressionList; secret: string }> {
  const at = clock.now()
  try {
    const store = storeOver<WholeStore>(opened)
    const secret = await openSecret({ store, folder, configured: config.secretKey })
    const suppressions = await openSuppressions({ store, folder, secret, backupDir: config.backup.dir, at, log })
    // The embedded engine belongs to one service: holds and leases of a dead one are released.
    await store.credits.releaseHolds({ at, all: true })
    await store.leases.freeLeases(null)
    return { store, suppressions, secret }
  } catch (error) {
    await opened.close()
    throw error
  }
}
