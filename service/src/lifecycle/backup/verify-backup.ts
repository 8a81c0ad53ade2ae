import { openSqliteStore, type StartThread } from '../../database/sqlite/open-sqlite-store.ts'
import { askReader } from '../../database/sqlite/reader/reader.ts'
import type { Reading } from '../../database/sqlite/reader/reports.ts'
import { storeOver } from '../../database/store.ts'
import type { StoreCounts } from '../../database/backup-operations.ts'
import type { LifecycleStore, WholeLifecycleStore } from '../operations.ts'

export interface OpenedCopy {
  store: WholeLifecycleStore
  /** Nobody else has the file open then. */
  endReports(): Promise<void>
  close(): Promise<void>
}

/** How the thread of a copy is started, and how its reports are made: absent, as a new one, and in that thread. */
export interface CopyThreads {
  startThread?: StartThread | undefined
  reading?: Reading | undefined
}

/** A store in a file that nobody serves from, opened in a thread of its own, which loads the operations by their address. */
export async function openBackup(
  path: string,
  operationsModule: string,
  now: number,
  { startThread, reading }: CopyThreads,
): Promise<OpenedCopy> {
  // Its checks take the time that they take: they keep nobody's log.
  const unlimited = reading && { ...reading, limit: () => () => undefined }
  const opened = await openSqliteStore({ path, operationsModule, now }, { startThread, reading: unlimited })
  return { store: storeOver(opened), endReports: () => opened.endReports(), close: () => opened.close() }
}

/** Why a copy cannot be trusted. */
export class BackupError extends Error {
  override readonly name = 'CopyError'
}

/** Told how far a backup is: bytes of a copy, tables of a check. */
export type OnProgress = (progress: { step: 'copying' | 'checking'; done: number; all: number }) => void

/** Checks the pages of a copy in a process of its own; a full check also compares every index with its table. */
export async function checkFile(path: string, how: 'quick' | 'full', onProgress?: OnProgress): Promise<void> {
  const damage = await askReader({ kind: 'check', path, how }, null, (of) => onProgress?.({ step: 'checking', ...of }))
  if (damage?.[0] !== undefined) throw new BackupError(`The file is damaged: ${damage[0]}`)
}

/** Checks what is in a copy as if it were to be served from: its ledger, its audit log. Gives what it holds. */
export async function verifyBackup(store: LifecycleStore): Promise<StoreCounts> {
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
