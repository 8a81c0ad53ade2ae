import { join } from 'node:path'
import { StartError, type DataFolder } from '../../foundation/data-folder.ts'
import type { Log } from '../../foundation/log.ts'
import { proofOf } from '../../cluster/share-secret.ts'
import type { LifecycleStore, SuppressionChangeStore } from '../store/operations.ts'
import { allSuppressions, besideBackups, SuppressionList } from './suppression-list.ts'
import { readSuppressionFile, SuppressionFile, suppressionFileName } from './suppression-file.ts'

interface Deps {
  store: LifecycleStore & { suppressionChanges: SuppressionChangeStore }
  folder: Pick<DataFolder, 'path' | 'read' | 'write' | 'remove'>
  secret: string
  backupDir: string | null
  at: number
  log: Log
}

/** Marks a data folder into which a backup is being restored. */
export const pendingMark = 'restore.pending'

/** Marks a data folder whose store is older than its suppression list, until the erasures since then are repeated. */
const replayMark = 'replay.pending'

/** A restored store must not serve before the erasures since its backup are repeated. */
export function refuseHalfRestored(folder: Pick<DataFolder, 'path' | 'read'>): void {
  if (folder.read(pendingMark) === null) return
  throw new StartError(`VITAE_DATA_DIR ${folder.path} contains an unfinished restore: run "vitae restore FILE" again`)
}

/**
 * Opens the suppression list of the embedded engine, which is also kept in a file. If the file has erasures that the
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
  for await (const item of allSuppressions((page) => store.suppressions.listSuppressions(page))) {
    if (!unknown.delete(item.hash)) unwritten.push(item)
  }
  await file.add(unwritten)
  // An interrupted replay has added the names, so only the mark is left of it.
  const thorough = folder.read(replayMark) !== null
  if (unknown.size > 0 || thorough) {
    folder.write(replayMark, '')
    const { replaySuppressions } = await import('./replay-suppressions.ts')
    const replaying = { store, suppressions: store.suppressionChanges, secret, at: deps.at, thorough }
    const done = await replaySuppressions(replaying, [...unknown.values()])
    folder.remove(replayMark)
    log.warn(done, 'the store was older than its suppression list; repeated the erasures since then')
  }
  return new SuppressionList(store, file)
}
