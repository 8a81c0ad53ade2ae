import { rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CopyData } from './copy-thread.ts'
import { syncFile } from '../../foundation/durable-file.ts'
import { moduleUrl } from '../../foundation/module-url.ts'

/** Copies and what must not meet one follow each other. There is one store in a thread, so there is one queue. */
let queue: Promise<unknown> = Promise.resolve()

/**
 * Copies the database of one moment into a new file while it is in use. A thread of its own reads it, so no settlement
 * ever waits for a backup. The copy holds no freed space, and so nothing that was deleted before.
 */
export function copySqlite(data: CopyData): Promise<void> {
  return apartFromCopies(() => copyNow(data))
}

/** Runs what a copy would be in the way of: the write-ahead log cannot be emptied while a copy reads it. */
export function apartFromCopies<T>(work: () => Promise<T>): Promise<T> {
  const done = queue.then(work)
  queue = done.catch(() => undefined)
  return done
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

/** Gigabytes that are synced at once keep the disk for seconds, and every charge waits for its own sync meanwhile. */
async function syncUntil(copied: Promise<void>, target: string): Promise<void> {
  const ended = copied.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([ended, sleep(syncEveryMs, false)]))) await syncFile(target)
}
