import { join } from 'node:path'
import { StartError, type DataFolder } from '../../foundation/data-folder.ts'
import type { Log } from '../../foundation/log.ts'
import { proofOf } from '../../cluster/share-secret.ts'
import type { WholeLifecycleStore } from '../operations.ts'
import { allSuppressions, besideBackups, SuppressionList } from './suppression-list.ts'
import { readSuppressionFile, SuppressionFile, suppressionFileName } from './suppression-file.ts'

interface Deps {
  store: WholeLifecycleStore
  folder: Pick<DataFolder, 'path'>
  secret: string
  backupDir: string | null
  at: number
  log: Log
}

/** In a data folder while a backup is being restored into it. */
export const pendingMark = 'restore.pending'

/** Nothing may be served from a restored store before the erasures since its backup have been repeated. */
export function refuseHalfRestored(folder: Pick<DataFolder, 'path' | 'read'>): void {
  if (folder.read(pendingMark) === null) return
  throw new StartError(`VITAE_DATA_DIR ${folder.path} holds a restore that did not end: run "vitae restore FILE" again`)
}

/**
 * Opens the suppression list of the embedded engine, which is kept in a file too. Where the file knows of erasures that the
 * store does not, someone has put an older store into the folder: they are repeated before anything is served.
 */
export async function openSuppressions(deps: Deps): Promise<SuppressionList> {
  const { store, folder, secret, log } = deps
  const path = join(folder.path, suppressionFileName)
  const copy = besideBackups({ backupDir: deps.backupDir, store, log })
  const file = new SuppressionFile({ path, proof: proofOf(secret), copy })

  const kept = await readSuppressionFile(path)
  if (kept?.proof && kept.proof !== proofOf(secret)) {
    throw new StartError(`${path} was written with another secret key: set VITAE_SECRET_KEY to that one`)
  }
  const unknown = new Map(kept?.items)
  const unwritten = []
  for await (const item of allSuppressions((page) => store.listSuppressions(page))) {
    if (!unknown.delete(item.hash)) unwritten.push(item)
  }
  await file.add(unwritten)
  if (unknown.size > 0) {
    const { replaySuppressions } = await import('./replay-suppressions.ts')
    const done = await replaySuppressions({ store, suppressions: store, secret, at: deps.at }, [...unknown.values()])
    log.warn(done, 'the store was older than its suppression list: the erasures since then have been repeated')
  }
  return new SuppressionList(store, file)
}
