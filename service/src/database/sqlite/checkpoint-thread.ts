import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData as string)
// Unsynced pages are synced before they leave the log.
connection.exec('pragma synchronous = full')
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => {
  try {
    checkpoint.get()
  } catch {
    // A full or broken disk: the store's own thread meets the same, and reports it to its callers.
  }
  parentPort?.postMessage('done')
})
