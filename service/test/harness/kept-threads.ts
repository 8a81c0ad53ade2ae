import { on } from 'node:events'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** A new thread loads the store's code, which takes longer than most tests; after so many stores its memory is given back. */
const storesAtMost = 40
const known: { keptThreads?: { thread: Worker; stores: number }[] } = globalThis
/** Outside of the module, because a mutation run loads that again for each mutant. */
const idle = (known.keptThreads ??= [])

/**
 * How the services of tests start the thread of their store: a thread whose last store was closed is
 * given the next. One that dies, or that was not closed in order, is never used again.
 */
export function keptThread(url: URL, options: WorkerOptions): Worker {
  const { thread, stores } = idle.pop() ?? { thread: newThread(options), stores: 0 }
  thread.ref()
  thread.postMessage({ open: url.href, workerData: options.workerData as unknown })
  thread.terminate = async () => {
    for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
    if (stores + 1 >= storesAtMost) return Worker.prototype.terminate.call(thread)
    thread.postMessage('rest')
    // A last notice of the closed store may come before.
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
