import { StartError, type DataFolder } from '../../foundation/data-folder.ts'

/** The setting in a backup that says where it comes from. */
export const originSetting = 'backup.origin'

export interface Origin {
  dataDir: string
  madeAt: number
  version: string
}

/** In a data folder while it is being restored into. */
export const pendingMark = 'restore.pending'

/** Nothing may be served from a restored store before the erasures since its backup have been done again. */
export function refuseHalfRestored(folder: Pick<DataFolder, 'path' | 'read'>): void {
  if (folder.read(pendingMark) === null) return
  throw new StartError(`VITAE_DATA_DIR ${folder.path} holds a restore that did not end: run "vitae restore FILE" again`)
}
