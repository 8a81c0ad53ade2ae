import type { LeaseStore } from '../../work/leases.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Clock } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Log } from '../../foundation/log.ts'
import { Runner, timedWork, type Work } from '../../work/runner.ts'
import type { StoredExport, ExportStore } from './export-operations.ts'

interface Deps {
  store: {
    exports: Pick<ExportStore, 'claimExport' | 'addExportPart' | 'endExport' | 'removeExports'>
    leases: Pick<LeaseStore, 'renewLeases'>
  }
  clock: Clock
  log: Log
  /** The rows of an export as CSV, page by page. */
  pages(job: StoredExport): AsyncIterable<{ rows: number; text: string }>
}

const checkEveryMs = 5_000
const renewEveryMs = 5_000
const leaseMs = 30_000
const removeEveryMs = 60_000
/** The pause after each page: an export must not be the only thing that the reports do. */
const pauseMs = 25

const zip = promisify(gzip)

export interface ExportRunner {
  start(): void
  wake(): void
  close(): Promise<void>
}

/** Prepares exports in the background, one at a time on each node, and removes those whose day is over. */
export function createExportRunner(deps: Deps): ExportRunner {
  const runner = new Runner(exportWork(deps), deps.log)
  const run = () => deps.store.exports.removeExports({ before: deps.clock.now() })
  const removal = new Runner(timedWork({ name: 'remove expired exports', everyMs: removeEveryMs, run }), deps.log)
  return {
    start() {
      runner.start()
      removal.start()
    },
    wake: () => runner.wake(),
    close: async () => void (await Promise.all([runner.close(), removal.close()])),
  }
}

function exportWork(deps: Deps): Work<StoredExport> {
  const node = randomUUID()
  return {
    name: 'exports',
    everyMs: checkEveryMs,
    refills: true,
    keyOf: ({ id }) => id,
    async claim(inProgress) {
      if (inProgress.length > 0) return []
      const job = await deps.store.exports.claimExport({ node, leaseMs })
      return job ? [job] : []
    },
    run: (job, stop) => prepare(deps, job, stop),
    renew: {
      everyMs: renewEveryMs,
      keep: (inProgress) => {
        const leases = inProgress.map(({ id, lease: number }) => ({ id, number }))
        return deps.store.leases.renewLeases({ of: 'exports', leases, leaseMs })
      },
    },
  }
}

/** Writes the parts of an export. If this node stops, another one or the next start begins again. */
async function prepare({ store, log, pages }: Deps, job: StoredExport, stop: AbortSignal): Promise<void> {
  const { id, lease } = job
  let number = 0
  try {
    for await (const { rows, text } of pages(job)) {
      if (stop.aborted) return
      const body = await zip(text)
      number += 1
      if (!(await store.exports.addExportPart({ id, lease, number, rows, body }))) return
      await setTimeout(pauseMs)
    }
    await store.exports.endExport({ id, lease, detail: null })
  } catch (error) {
    if (stop.aborted) return
    log.warn({ err: error, export: id, list: job.list }, 'an export could not be prepared')
    const detail = error instanceof Failure ? error.message : 'The export could not be prepared.'
    await store.exports.endExport({ id, lease, detail: `${detail} Begin it again.` })
  }
}
