import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** What the thread is started with. The target must be an empty file that is there already, with its mode set. */
export interface CopyData {
  source: string
  target: string
}

const { source, target } = workerData as CopyData
const store = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
try {
  // One read transaction, and in WAL mode readers stop no writer: the copy is the store of one moment.
  store.prepare('vacuum into ?').run(target)
} finally {
  store.close()
}
parentPort?.postMessage('done')
