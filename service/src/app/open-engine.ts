import { LocalRateLimiter, type RateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import { cacheShares } from '../config/cache-budget.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../foundation/clock.ts'
import { openSqliteStore } from '../database/sqlite/open-sqlite-store.ts'
import { storeOver, type RunOperation } from '../database/store.ts'
import { openDataFolder, randomSecret, type DataFolder } from '../foundation/data-folder.ts'
import type { Log } from '../foundation/log.ts'
import { noPeers, type Peers } from '../cluster/peers.ts'
import { operationsModule, type ServiceStore } from '../store/service-store.ts'
import { openSuppressions } from '../lifecycle/suppression/open-suppressions.ts'
import { proveSecret } from '../lifecycle/suppression/prove-secret.ts'
import { refuseHalfRestored } from '../lifecycle/backup/restore-marks.ts'
import type { operations } from '../store/operations.ts'

/** What a service stands on: its store, its secrets, and the processes that it shares them with. */
export interface Engine {
  kind: 'embedded' | 'postgres'
  folder: DataFolder
  store: ServiceStore
  run: RunOperation
  ownerToken: string
  /** Keys the hashes of idempotency values and of suppressed aliases. */
  secret: string
  limiter: RateLimiter
  peers: Peers
  close(): Promise<void>
}

export interface EngineOptions {
  config: Config
  log: Log
  clock: Clock
  /** False for a process that answers no callers, such as the one that only keeps workers. */
  serves?: boolean
  /** Called when the embedded store is lost for good: the process cannot go on. */
  onFatal(error: Error): void
}

/** Opens the engine that the configuration names. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { databaseUrl } = options.config
  if (databaseUrl === null) return openEmbedded(options)
  // Loaded only where it is used: an embedded service starts quicker without the drivers.
  const { openScaleOut } = await import('./open-scale-out-engine.ts')
  return openScaleOut(options, databaseUrl)
}

async function openEmbedded(options: EngineOptions): Promise<Engine> {
  const { config, clock, onFatal } = options
  const folder = openDataFolder(config.dataDir, { exclusive: true })
  try {
    refuseHalfRestored(folder)
    const { pageBytes: cacheBytes } = cacheShares(config)
    const data = { path: folder.storePath, operationsModule, now: clock.now(), cacheBytes }
    const opened = await openSqliteStore(data, onFatal)
    const secret = config.secretKey ?? folder.secret('secret-key', randomSecret)
    const { run, store } = await settleIn(options, folder, secret, opened)
    return {
      kind: 'embedded',
      folder,
      store,
      run,
      ownerToken: config.adminToken ?? folder.secret('admin-token', randomSecret),
      secret,
      limiter: new LocalRateLimiter(clock),
      peers: noPeers,
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

/** What the embedded store needs before it may be served from; where that fails its thread must not live on. */
async function settleIn(
  { config, log, clock }: EngineOptions,
  folder: DataFolder,
  secret: string,
  opened: { run: RunOperation; close(): Promise<void> },
): Promise<{ run: RunOperation; store: ServiceStore }> {
  const at = clock.now()
  try {
    await proveSecret(storeOver<typeof operations>(opened.run), secret)
    const list = { run: opened.run, folder, secret, backupDir: config.backup.dir, at, log }
    const kept = await openSuppressions(list)
    // The embedded engine belongs to one service: what a dead one held is free again.
    await kept.store.releaseHolds({ at, all: true })
    return kept
  } catch (error) {
    await opened.close()
    throw error
  }
}
