import { Worker, type WorkerOptions } from 'node:worker_threads'
import { StartError } from '../../foundation/data-folder.ts'
import type { OperationNames, ThreadData, ThreadNotice } from './sqlite-thread.ts'
import { schemaErrorCode } from '../engine/migration.ts'
import { createMessageBatch, resultIn, type StoreReply, type StoreRequest } from './connection/store-messages.ts'
import { Reports, type Reading } from './reader/reports.ts'
import type { OpenedOperations, RunOperation } from '../engine/operation.ts'
import { moduleUrl } from '../../foundation/module-url.ts'

/** Without a limit, V8 lets it grow to 128 MB; 12 MB used more memory than 6 MB, and no less CPU. */
const maxYoungGenerationSizeMb = 6

interface Waiting {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Starts a thread that runs a module. Tests reuse the thread of a closed store. */
export type StartThread = (module: URL, options: WorkerOptions) => Worker

interface StoreOptions {
  /** Called when the thread ends unexpectedly: the service cannot continue without its store. */
  onDeath?: (error: Error) => void
  /** Called when it has lost its log and accepts nothing any more. */
  onLost?: (why: string) => void
  /** Called after a commit that gave the webhook sender something to do. */
  onSenderWork?: () => void
  startThread?: StartThread | undefined
  /** How reports run beside it; if absent, they are ordinary operations of the thread. */
  reading?: Reading | undefined
}

/** A store in a thread, and the functions that end it. */
export interface OpenedSqlite extends OpenedOperations {
  /** Ends the reports in progress and those that wait. */
  endReports(): Promise<void>
  close(): Promise<void>
}

/** Starts the embedded engine in its own thread, so that no fsync blocks the event loop. */
export async function openSqliteStore(
  data: ThreadData,
  {
    onDeath,
    onLost,
    onSenderWork,
    startThread = (module, options) => new Worker(module, options),
    reading,
  }: StoreOptions = {},
): Promise<OpenedSqlite> {
  const reports = reading && new Reports(data, reading)
  const worker = startThread(moduleUrl('./sqlite-thread', import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb },
  })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let closing = false

  const opened = new Promise<unknown>((resolve, reject) => waiting.set(0, { resolve, reject }))
  worker.on('message', (replies: (StoreReply | ThreadNotice)[]) => {
    for (const reply of replies) {
      if ('lost' in reply) {
        // Readers would find another store under its name.
        void reports?.close()
        onLost?.(reply.lost)
        continue
      }
      if ('wakesSender' in reply) {
        onSenderWork?.()
        continue
      }
      if ('logBytes' in reply) {
        reports?.logIs(reply.logBytes)
        continue
      }
      const caller = waiting.get(reply.id)
      if (!caller) continue
      waiting.delete(reply.id)
      try {
        caller.resolve(resultIn(reply))
      } catch (error) {
        caller.reject(error)
      }
    }
  })
  let dead = false
  const died = (error: Error) => {
    // An error is followed by the exit event that it causes.
    if (dead) return
    dead = true
    for (const caller of waiting.values()) caller.reject(error)
    const wasOpening = waiting.has(0)
    waiting.clear()
    if (!closing && !wasOpening) onDeath?.(error)
  }
  worker.on('error', (error) => died(error instanceof Error ? error : new Error(String(error))))
  worker.on('exit', () => died(new Error('the store thread ended')))

  // A settlement is the only request of its turn, and the store can begin with it while this thread continues.
  const post = createMessageBatch(worker, { atEndOfTurn: setImmediate, firstAtOnce: true })
  const inThread: RunOperation = (name, args) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      const message: StoreRequest = { id, name, args }
      const refuse = (error: unknown) => {
        waiting.delete(id)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      post({ message, handedOver: [], refuse })
    })

  const names = (await opened.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : null
    const isOperators = code === 'ERR_SQLITE_ERROR' || code === schemaErrorCode
    throw error instanceof Error && isOperators
      ? new StartError(`${data.path} cannot be opened: ${error.message}`, { cause: error })
      : error
  })) as OperationNames
  return {
    names: [...names.keys()],
    run(name, args) {
      const reportMs = names.get(name) ?? null
      return reports && reportMs !== null ? reports.run(name, args, reportMs) : inThread(name, args)
    },
    endReports: async () => reports?.close(),
    async close() {
      closing = true
      // A report in progress would keep the log from being copied into the database.
      await reports?.close()
      await inThread('close', null)
      await worker.terminate()
    },
  }
}
