import type { ChildProcess } from 'node:child_process'
import { reading, type Reading } from '../../../src/database/sqlite/reader/reports.ts'
import { reportsMs } from '../../../src/database/engine/operation.ts'
import { fromBundle } from '../../harness/from-bundle.ts'

const source = new URL('../../../src/database/sqlite/reader/reports.ts', import.meta.url).href
const { reading: bundled } = (await import(fromBundle(source))) as { reading: Reading }

const isOfReport = (ms: number) => Object.values<number>(reportsMs).includes(ms)

/** Reports in processes that a test can freeze, kill and time out. The waits between reports end by time. */
export function watchedReading() {
  const processes: ChildProcess[] = []
  const limits: { ms: number; onLate: () => void }[] = []
  const watched: Reading = {
    start(path, operations) {
      const fresh = fromBundle(operations)
      const child = (fresh === operations ? reading : bundled).start(path, fresh)
      processes.push(child)
      return child
    },
    limit(ms, onLate) {
      if (!isOfReport(ms)) return reading.limit(ms, onLate)
      limits.push({ ms, onLate })
      return () => undefined
    },
  }
  return { processes, limits, reading: watched }
}
