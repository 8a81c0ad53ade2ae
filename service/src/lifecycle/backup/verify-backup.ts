import { openSqliteStore } from '../../database/sqlite/open-sqlite-store.ts'
import { storeOver } from '../../database/store.ts'
import type { StoreCounts } from '../../database/backup-operations.ts'
import type { LifecycleStore, WholeLifecycleStore } from '../operations.ts'

export interface OpenedCopy {
  store: WholeLifecycleStore
  close(): Promise<void>
}

/** A store in a file that nobody serves from, opened in a thread of its own, which loads the operations by their address. */
export async function openBackup(path: string, operationsModule: string, now: number): Promise<OpenedCopy> {
  const opened = await openSqliteStore({ path, operationsModule, now })
  return { store: storeOver(opened), close: () => opened.close() }
}

/** Why a copy cannot be trusted. */
export class BackupError extends Error {
  override readonly name = 'CopyError'
}

/** Checks a copy as if it were to be served from: its file, its ledger, its audit log. Gives what it holds. */
export async function verifyBackup(store: LifecycleStore): Promise<StoreCounts> {
  const file = await store.inspectFile({ withinMs: null })
  if (file?.damage?.[0] !== undefined) throw new BackupError(`The file is damaged: ${file.damage[0]}`)
  const ledger = await store.verifyLedger(undefined)
  const [first] = ledger.differences
  if (first)
    throw new BackupError(`The ledger does not verify: ${first.what} is ${first.actual}, not ${first.expected}`)
  for (let afterId = 0, done = false; !done;) {
    const part = await store.verifyAudit({ afterId, limit: 5_000 })
    if (part.brokenAt !== null) throw new BackupError(`The audit log is broken at entry ${part.brokenAt}`)
    ;({ lastId: afterId, done } = part)
  }
  return store.countStore(null)
}
