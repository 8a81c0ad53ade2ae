import { LocalRateLimiter } from '../accounts/rate-limits/rate-limiter.ts'
import { cacheBudget } from '../config/cache-budget.ts'
import { openSqliteStore } from '../database/sqlite/open-sqlite-store.ts'
import { storeOver, type RunOperation } from '../database/store.ts'
import { openDataFolder, randomSecret, type DataFolder } from '../foundation/data-folder.ts'
import { noPeers } from '../cluster/peers.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { operationsModule, type ServiceStore } from '../store/service-store.ts'
import { openSuppressions } from '../lifecycle/suppression/open-suppressions.ts'
import { proveSecret } from '../lifecycle/suppression/prove-secret.ts'
import { refuseHalfRestored } from '../lifecycle/backup/restore-marks.ts'
import type { operations } from '../store/operations.ts'

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
    const { pageBytes: cacheBytes } = cacheBudget(config)
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
