import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** The arguments of the thread. The target must be an existing, empty file with its mode set. */
export interface CopyData {
  source: string
  target: string
}

const { source, target } = workerData as CopyData
const store = new DatabaseSync(source, { readOnly: true, timeout: 5_000 })
try {
  // One read transaction: in WAL mode readers block no writer, and the copy is one snapshot.
  store.prepare('vacuum into ?').run(target)
} finally {
  store.close()
}
parentPort?.postMessage('done')
