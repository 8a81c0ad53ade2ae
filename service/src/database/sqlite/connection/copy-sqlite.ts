import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CopyData } from './copy-thread.ts'
import { ReportLine } from '../../engine/operation.ts'
import { syncFile } from '../../../foundation/durable-file.ts'
import { moduleUrl } from '../../../foundation/module-url.ts'

/** Copies, and work that must not overlap with one: a thread has one store, so there is one line. */
const copies = new ReportLine()

/**
 * Copies a snapshot of the database into a new file while it is in use. A separate thread reads it, so no settlement
 * waits for a backup. The copy has no free space, so it contains nothing that was deleted.
 */
export function copySqlite(data: CopyData): Promise<void> {
  return apartFromCopies(() => copyNow(data))
}

/** Whether a copy, or work that must not overlap with one, runs or waits. */
export function isCopying(): boolean {
  return copies.length > 0
}

/** Runs work that a copy would block: the write-ahead log cannot be emptied while a copy reads it. */
export function apartFromCopies<T>(work: () => Promise<T>): Promise<T> {
  return copies.run(work)
}

async function copyNow(data: CopyData): Promise<void> {
  rmSync(data.target, { force: true })
  writeFileSync(data.target, '', { mode: 0o600 })
  const worker = new Worker(moduleUrl('./copy-thread', import.meta.url), { workerData: data })
  const copied = new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error('the copying thread ended early'))))
  })
  await Promise.all([copied, syncUntil(copied, data.target)])
  await syncFile(data.target)
}

const syncEveryMs = 50

/** Syncing gigabytes at once would occupy the disk for seconds, and every charge waits for its own sync meanwhile. */
async function syncUntil(copied: Promise<void>, target: string): Promise<void> {
  const ended = copied.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([ended, sleep(syncEveryMs, false)]))) await syncFile(target)
}
