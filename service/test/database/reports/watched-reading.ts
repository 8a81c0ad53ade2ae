import type { ChildProcess } from 'node:child_process'
import { reading, type Reading } from '../../../src/database/sqlite/reader/reports.ts'
import { fromBundle } from '../../harness/from-bundle.ts'

const source = new URL('../../../src/database/sqlite/reader/reports.ts', import.meta.url).href
const { reading: bundled } = (await import(fromBundle(source))) as { reading: Reading }

/** Reports in processes that a test can freeze, kill and time out. */
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
      limits.push({ ms, onLate })
      return () => undefined
    },
  }
  return { processes, limits, reading: watched }
}
