import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReportLine } from '../../engine/operation.ts'
import { syncFile } from '../../../foundation/durable-file.ts'
import { askReader } from './reader.ts'

/** Copies, and work that must not overlap with one: a thread has one store, so there is one line. */
const copies = new ReportLine()

/**
 * Copies a snapshot of the database into a new file while it is in use. A separate process of low priority reads it, so
 * no settlement waits for a backup. The copy has no free space, so it contains nothing that was deleted.
 */
export function copySqlite(path: string, target: string): Promise<void> {
  return apartFromCopies(() => copyNow(path, target))
}

/** Whether a copy, or work that must not overlap with one, runs or waits. */
export function isCopying(): boolean {
  return copies.length > 0
}

/** Runs work that a copy would block: the write-ahead log cannot be emptied while a copy reads it. */
export function apartFromCopies<T>(work: () => Promise<T>): Promise<T> {
  return copies.run(work)
}

/**
 * The damage that the engine finds in the file of a store that may be in use: every page is read. Empty if the file is
 * intact, null if the time was too short.
 */
export function checkFile(path: string, withinMs: number | null): Promise<string[] | null> {
  return apartFromCopies(() => askReader({ kind: 'check', path, how: 'full' }, withinMs))
}

async function copyNow(path: string, target: string): Promise<void> {
  rmSync(target, { force: true })
  writeFileSync(target, '', { mode: 0o600 })
  const copied = askReader({ kind: 'copy', path, target })
  await Promise.all([copied, syncUntil(copied, target)])
  await syncFile(target)
}

const syncEveryMs = 50

/** Syncing gigabytes at once would occupy the disk for seconds, and every charge waits for its own sync meanwhile. */
async function syncUntil(copied: Promise<unknown>, target: string): Promise<void> {
  const ended = copied.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([ended, sleep(syncEveryMs, false)]))) await syncFile(target)
}
