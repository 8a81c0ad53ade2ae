import { on } from 'node:events'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { ThreadData } from '../../src/database/sqlite/sqlite-thread.ts'
import { fromBundle } from './from-bundle.ts'

/**
 * A new thread loads the store's code, which takes longer than most tests. After this number of stores a thread is
 * replaced to free its memory.
 */
const storesAtMost = 40
const idle: { thread: Worker; stores: number }[] = []

/**
 * Starts the store thread of test services. A thread whose last store was closed gets the next store. A thread that
 * dies or was not closed properly is never reused.
 */
export function keptThread(url: URL, options: WorkerOptions): Worker {
  const { thread, stores } = idle.pop() ?? { thread: newThread(options), stores: 0 }
  thread.ref()
  const data = options.workerData as ThreadData
  const operationsModule = fromBundle(data.operationsModule)
  const isBundled = operationsModule !== data.operationsModule
  const open = isBundled ? fromBundle(url.href) : url.href
  thread.postMessage({ open, workerData: { ...data, operationsModule } })
  thread.terminate = async () => {
    for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
    if (stores + 1 >= storesAtMost) return Worker.prototype.terminate.call(thread)
    thread.postMessage('rest')
    // A last message of the closed store may arrive before.
    for await (const [message] of on(thread, 'message')) if (message === 'rests') break
    thread.unref()
    idle.push({ thread, stores: stores + 1 })
    return 0
  }
  return thread
}

function newThread({ resourceLimits = {} }: WorkerOptions): Worker {
  return new Worker(new URL('kept-thread.ts', import.meta.url), { resourceLimits })
}
