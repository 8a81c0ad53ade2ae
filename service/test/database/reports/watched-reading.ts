import type { ChildProcess } from 'node:child_process'
import { reading, type Reading } from '../../../src/database/sqlite/reader/reports.ts'

/** Reports in processes that a test can freeze, kill and time out. */
export function watchedReading() {
  const processes: ChildProcess[] = []
  const limits: { ms: number; onLate: () => void }[] = []
  const watched: Reading = {
    start(...args) {
      const child = reading.start(...args)
      processes.push(child)
      return child
    },
    limit(ms, onLate) {
      limits.push({ ms, onLate })
      return () => undefined
    },
  }
  return { processes, limits, reading: watched }
}
