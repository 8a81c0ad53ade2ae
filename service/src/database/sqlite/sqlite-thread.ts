import { parentPort, workerData } from 'node:worker_threads'
import { Failure, type SentFailure, sentFailure } from '../../foundation/failure.ts'
import { migrate } from '../migrate.ts'
import { openSqlite } from './sqlite.ts'
import type { Operations } from '../store.ts'
import { BackgroundCheckpoint } from './background-checkpoint.ts'
import { Executor } from './executor.ts'
import { createMessageBatch } from './message-batch.ts'
import { watchFile } from './watch-file.ts'

/** What the thread is started with. The operations are named by module, so that this folder imports nothing above it. */
export interface ThreadData {
  path: string
  operationsModule: string
  now: number
  /** For the pages of the database. */
  cacheBytes?: number
}

export interface ThreadRequest {
  id: number
  name: string
  args: unknown
}

export type ThreadReply =
  | { id: number; result: unknown }
  | { id: number; failure: SentFailure }
  | { id: number; error: Error }

const port = parentPort
if (!port) throw new Error('sqlite-thread runs only as a worker thread')

const { path, operationsModule, now, cacheBytes } = workerData as ThreadData
const { operations } = (await import(operationsModule)) as { operations: Operations }
const { db, raw } = openSqlite(path, cacheBytes)
await migrate(db, 'sqlite', now)
const checkpoint = new BackgroundCheckpoint(path, raw)
const executor = new Executor({ db, dialect: 'sqlite' }, checkpoint.committed)
watchFile({ path, executor, raw })

// What a transaction has answered goes back together: the next tick comes after all that its end has set free.
const post = createMessageBatch(port, { atEndOfTurn: process.nextTick, firstAtOnce: false })
port.on('message', (requests: ThreadRequest[]) => {
  for (const request of requests) void (request.name === 'close' ? close(request) : answer(request))
})
reply({ id: 0, result: Object.keys(operations) })

async function close({ id }: ThreadRequest): Promise<void> {
  await checkpoint.close()
  await executor.read(async () => {
    // A clean end leaves one file: the log is folded into the database.
    raw.exec('pragma wal_checkpoint(truncate)')
    await db.destroy()
  })
  reply({ id, result: null })
}

async function answer({ id, name, args }: ThreadRequest): Promise<void> {
  try {
    const operation = operations[name]
    if (!operation) throw new Error(`no store operation is named ${name}`)
    const result = await operation(executor, args)
    reply({ id, result }, handedOver(name, result))
  } catch (error) {
    reply(errorReply(id, error))
  }
}

function reply(message: ThreadReply, bytes: ArrayBuffer[] = []): void {
  post({ message, handedOver: bytes, refuse: (error) => reply(errorReply(message.id, error)) })
}

function errorReply(id: number, error: unknown): ThreadReply {
  if (error instanceof Failure) return { id, failure: sentFailure(error) }
  if (isDiskError(error)) {
    return { id, failure: sentFailure(new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })) }
  }
  return { id, error: error instanceof Error ? error : new Error(String(error)) }
}

/** The bytes in an answer that are handed over to the other thread instead of copied. They own their memory, and have served here. */
function handedOver(name: string, result: unknown): ArrayBuffer[] {
  if (name !== 'readRecord' || typeof result !== 'object' || result === null || !('copy' in result)) return []
  const { copy } = result
  const body = typeof copy === 'object' && copy !== null && 'body' in copy ? copy.body : null
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer ? [body.buffer] : []
}

/** SQLite's codes for a file that cannot be written or read now: read-only, an error of the disk, full, not to be opened. */
const codes = new Set([8, 10, 13, 14])

/**
 * Whether the disk keeps the embedded engine from doing what it was told. Nothing was done then, and once the operator has
 * repaired it the same request succeeds.
 */
function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  // The lower byte is the kind; what is above it says more exactly what was being done.
  return codes.has(Number(error.errcode) & 0xff)
}
