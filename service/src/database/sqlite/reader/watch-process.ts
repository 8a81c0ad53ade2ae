import { constants, getPriority, setPriority } from 'node:os'
import { Worker } from 'node:worker_threads'

/** A thread checks, because the process itself sees nothing until its statement ends, which may be never. */
const watch = `
  const { parent, mostBytes } = require('node:worker_threads').workerData
  const isToEnd = () => process.ppid !== parent || process.memoryUsage.rss() > mostBytes
  setInterval(() => isToEnd() && process.kill(process.pid, 'SIGKILL'), 200)
`

const lowerBy = 10

/**
 * Lowers the priority of this process below its parent's: a caller's answer is always more urgent. Ends it when its
 * parent ends, however that happens, and when it uses too much memory: the engine has no limit for what it sorts, and
 * the heap limit does not count bytes.
 */
export function watchProcess(parent: number, mostBytes = Infinity): void {
  process.once('disconnect', () => process.exit())
  const resourceLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 8 }
  new Worker(watch, { eval: true, workerData: { parent, mostBytes }, resourceLimits }).unref()
  // After the thread was started, which keeps its priority: only this process does the work.
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + lowerBy))
}
