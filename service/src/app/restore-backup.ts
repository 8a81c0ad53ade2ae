import type { Config } from '../config/config.ts'
import { restoreStore, type Restored, type RestoreWish } from '../lifecycle/backup/restore-store.ts'
import { operationsModule } from './store/service-store.ts'

/** Restores a backup into the empty data folder that the configuration names. */
export function restoreBackup(wish: RestoreWish, config?: Config): Promise<Restored> {
  return restoreStore(wish, operationsModule, config)
}
