import { loadProviderModules } from '../config/load-provider-modules.ts'
import type { Config } from '../config/config.ts'
import { restoreStore, type Restored, type RestoreWish } from '../lifecycle/backup/restore-store.ts'
import type { CopyThreads } from '../lifecycle/backup/verify-backup.ts'
import { operationsModule } from './store/service-store.ts'

/** Restores a backup into the configured, empty data folder. */
export async function restoreBackup(wish: RestoreWish, config?: Config, threads?: CopyThreads): Promise<Restored> {
  if (!config) await loadProviderModules()
  return restoreStore(wish, operationsModule, config, threads)
}
