import { openSqliteStore, type StartThread } from '../../database/sqlite/open-sqlite-store.ts'
import { askReader } from '../../database/sqlite/reader/reader.ts'
import type { Reading } from '../../database/sqlite/reader/reports.ts'
import { storeOver } from '../../database/engine/operation.ts'
import type { StoreCounts } from '../../database/database-operations.ts'
import type { LifecycleStore, SuppressionChangeStore } from '../store/operations.ts'
import { appendFileSync, statSync, truncateSync } from 'node:fs'
import { trailerOf } from '../../database/sqlite/reader/read-backup.ts'

/** Appends the digest to a store that is about to become a backup. */
export async function addDigest(path: string): Promise<void> {
  const { size } = statSync(path)
  const digest = await askReader({ kind: 'digest', path })
  if (digest !== null) appendFileSync(path, trailerOf(digest, size))
}

/**
 * Turns a copy of a backup into a store: fails unless it equals, byte by byte, what was written, and removes the
 * digest. A backup without a digest is accepted only on request.
 */
export async function takeStore(path: string, { withoutDigest }: { withoutDigest: boolean }): Promise<void> {
  const facts = await askReader({ kind: 'backup', path })
  if (facts === null) throw new BackupError('It could not be read.')
  if (facts.digest === 'differs') throw new BackupError('It was changed after it was made: its digest does not match.')
  if (facts.fault !== null) throw new BackupError(`${facts.fault}.`)
  if (facts.digest === null && !withoutDigest)
    throw new BackupError(
      'It has no digest. Either its end is missing, or an older version made it; in that case restore it with --without-digest.',
    )
  truncateSync(path, facts.bytes)
}

export type CopiedStore = LifecycleStore & { suppressionChanges: SuppressionChangeStore }

interface OpenedCopy {
  store: CopiedStore
  /** Ends the report process, so that only the store's thread has the file open. */
  endReports(): Promise<void>
  close(): Promise<void>
}

/**
 * How the thread of a copy is started and where its reports run. By default it is a new thread, which also runs the
 * reports.
 */
export interface CopyThreads {
  startThread?: StartThread | undefined
  reading?: Reading | undefined
}

/** Opens a store file that nobody serves from, in its own thread, which loads the operations by their URL. */
export async function openBackup(
  path: string,
  operationsModule: string,
  now: number,
  { startThread, reading }: CopyThreads,
): Promise<OpenedCopy> {
  // No time limit: nothing else waits for this file's log to be emptied.
  const unlimited = reading && { ...reading, limit: () => () => undefined }
  const opened = await openSqliteStore({ path, operationsModule, now }, { startThread, reading: unlimited })
  return { store: storeOver<CopiedStore>(opened), endReports: () => opened.endReports(), close: () => opened.close() }
}

/** Why a copy cannot be trusted. */
export class BackupError extends Error {
  override readonly name = 'CopyError'
}

/** Reports the progress of a backup: bytes of a copy, tables of a check. */
export type OnProgress = (progress: { step: 'copying' | 'checking'; done: number; all: number }) => void

/** Checks the pages of a copy in a separate process; a full check also compares every index with its table. */
export async function checkFile(path: string, how: 'quick' | 'full', onProgress?: OnProgress): Promise<void> {
  const damage = await askReader({ kind: 'check', path, how }, null, (of) => onProgress?.({ step: 'checking', ...of }))
  if (damage?.[0] !== undefined) throw new BackupError(`The file is damaged: ${damage[0]}`)
}

/**
 * Verifies the contents of a copy as if it were to be served from: its ledger and its audit log. Returns its counts.
 */
export async function verifyBackup(store: LifecycleStore): Promise<StoreCounts> {
  const ledger = await store.credits.verifyLedger(undefined)
  const [first] = ledger.differences
  if (first)
    throw new BackupError(`The ledger does not verify: ${first.what} is ${first.actual}, not ${first.expected}`)
  for (let afterId = 0, done = false; !done;) {
    const part = await store.audit.verifyAudit({ afterId, limit: 5_000 })
    if (part.brokenAt !== null) throw new BackupError(`The audit log is broken at entry ${part.brokenAt}`)
    ;({ lastId: afterId, done } = part)
  }
  return store.database.countStore(null)
}
