import { parentPort, workerData } from 'node:worker_threads'
import { migrate } from '../migrations/migrate.ts'
import { sqliteDialect, openSqlite } from './connection/sqlite.ts'
import { byName, type Subjects } from '../engine/operation.ts'
import { BackgroundCheckpoint } from './background-checkpoint.ts'
import { Executor } from './executor.ts'
import { FileWatch } from './file-watch.ts'
import { createMessageBatch, errorReply, type StoreReply, type StoreRequest } from './connection/store-messages.ts'

/** The arguments of the thread. The operations are named by module, so that this folder imports nothing above it. */
export interface ThreadData {
  path: string
  operationsModule: string
  now: number
  /** The size of the page cache. */
  cacheBytes?: number
  /** Calls are paid for in it: then the thread checks that its files are not removed. */
  isServed?: boolean
}

/** The first message of the thread: the names of its operations, and the time limits of reports. */
export type OperationNames = ReadonlyMap<string, number | null>

/**
 * Unsolicited messages of the thread: that it accepts nothing any more, and why; that the webhook sender has something
 * to do; or the length of a log that readers keep from starting over, 0 when it has.
 */
export type ThreadNotice = { lost: string } | { wakesSender: true } | { logBytes: number }

const port = parentPort
if (!port) throw new Error('sqlite-thread runs only as a worker thread')

const { path, operationsModule, now, cacheBytes, isServed } = workerData as ThreadData
const operations = byName(((await import(operationsModule)) as { operations: Subjects }).operations)
const { db, raw } = openSqlite(path, cacheBytes)
await migrate(db, sqliteDialect, now)
// The wait for another program's lock: meanwhile this thread can do nothing, not even read.
raw.exec('pragma busy_timeout = 1000')
const onLost = (lost: string) => port.postMessage([{ lost }] satisfies ThreadNotice[])
const onLength = (logBytes: number) => port.postMessage([{ logBytes }] satisfies ThreadNotice[])
const checkpoint = new BackgroundCheckpoint(path, raw, onLength)
const executor = new Executor({ db, dialect: sqliteDialect }, () => {
  files?.committed()
  checkpoint.committed()
  if (!db.wakesSender) return
  db.wakesSender = false
  post({ message: { wakesSender: true } satisfies ThreadNotice, handedOver: [], refuse: () => undefined })
})
const files = isServed ? new FileWatch({ path, executor, raw, onLost }) : null

// The answers of a transaction are sent together: the next tick comes after everything that its end released.
const post = createMessageBatch(port, { atEndOfTurn: process.nextTick, firstAtOnce: false })
port.on('message', (requests: StoreRequest[]) => {
  for (const request of requests) void (request.name === 'close' ? close(request) : answer(request))
})
reply({ id: 0, result: new Map(Object.entries(operations).map(([name, { reportMs }]) => [name, reportMs])) })

async function close({ id }: StoreRequest): Promise<void> {
  files?.close()
  await checkpoint.close()
  await executor.read(async () => {
    // A clean shutdown leaves one file: the log is copied into the database.
    raw.exec('pragma wal_checkpoint(truncate)')
    await db.destroy()
  })
  reply({ id, result: null })
}

async function answer({ id, name, args }: StoreRequest): Promise<void> {
  try {
    files?.check()
    const operation = operations[name]
    if (!operation) throw new Error(`no store operation is named ${name}`)
    const result = await operation(executor, args)
    reply({ id, result }, handedOver(name, result))
  } catch (error) {
    reply(errorReply(id, error))
  }
}

function reply(message: StoreReply, bytes: ArrayBuffer[] = []): void {
  post({ message, handedOver: bytes, refuse: (error) => reply(errorReply(message.id, error)) })
}

/**
 * The bytes of an answer that are transferred to the other thread instead of copied. They own their memory and are no
 * longer needed here.
 */
function handedOver(name: string, result: unknown): ArrayBuffer[] {
  if (name !== 'records.readRecord' || typeof result !== 'object' || result === null || !('copy' in result)) return []
  const { copy } = result
  const body = typeof copy === 'object' && copy !== null && 'body' in copy ? copy.body : null
  const isOwn = body instanceof Uint8Array && body.byteLength > 0 && body.buffer instanceof ArrayBuffer
  return isOwn ? [body.buffer] : []
}
