import { constants, getPriority, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

/** A thread looks, because the process itself sees nothing until its statement ends, and one may never end. */
const watch = `
  const { parent, mostBytes } = require('node:worker_threads').workerData
  const isToEnd = () => process.ppid !== parent || process.memoryUsage.rss() > mostBytes
  setInterval(() => isToEnd() && process.kill(process.pid, 'SIGKILL'), 200)
`

const lowerBy = 10

/**
 * Gives this process a lower priority than the one that started it has: whatever it is asked, a caller's answer is more urgent.
 * Ends it with the one that started it, however that ends, and where it holds more than it may: the engine has no
 * limit of its own for what it sorts, and the limit of the heap does not count bytes.
 */
export function watchProcess(parent: number, mostBytes = Infinity): void {
  process.once('disconnect', () => process.exit())
  const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 }
  new Worker(watch, { eval: true, workerData: { parent, mostBytes }, resourceLimits }).unref()
  // After the thread was started, which keeps its priority: only this one does the work.
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + lowerBy))
}
