import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData as string)
// What is not synced yet is before it leaves the log.
connection.exec('pragma synchronous = full')
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => {
  try {
    checkpoint.get()
  } catch {
    // A disk that is full or broken: the store's own thread meets the same, and says so to its callers.
  }
  parentPort?.postMessage('done')
})
