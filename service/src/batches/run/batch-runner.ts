import { randomUUID } from 'node:crypto'
import type { StoredBatch } from '../store/submit-batch.ts'
import { BatchRun } from './batch-run.ts'
import type { BatchDeps } from '../rows/deps.ts'
import { Beat } from './pace.ts'
import { removeExpiredBatches } from '../rows/remove-expired.ts'
import { pauseAtMostMs } from './row-failures.ts'
import { Runner, timedWork, type Work } from '../../work/runner.ts'
import { optionsOf } from '../rows/batch-settings.ts'
import { sampleRow } from '../rows/look-up-row.ts'

const checkEveryMs = 1_000
const renewEveryMs = 2_000
const leaseMs = 10_000
const removeEveryMs = 60_000
/** The maximum number of concurrent batches: on this node, and of one environment on all nodes. */
const batchesAtOnce = 64
const batchesOfEnvironment = 4
/** An environment without a running batch gets one started anyway, up to this total. */
const batchesAtMost = 512
/**
 * The maximum number of rows in progress, per batch and for all batches of this node: the remaining capacity belongs to
 * waiting callers.
 */
const rowsOfOne = 32
const rowsOfAll = 64

/** Runs the batches of this node in the background. */
export interface BatchRunner {
  start(): Promise<void>
  /** Checks for batches at once, because one was submitted or resumed here. */
  wake(): void
  /** Stops after the rows in progress. The rest waits for another node or the next start. */
  close(): Promise<void>
}

/** The runner of batches, and the removal of expired ones. */
export function createBatchRunner(deps: BatchDeps): BatchRunner {
  const runner = new Runner(batchWork(deps), deps.log)
  const run = () => removeExpiredBatches(deps)
  const removal = new Runner(timedWork({ name: 'remove expired batches', everyMs: removeEveryMs, run }), deps.log)
  return {
    async start() {
      removal.start()
      // Before the first claim: a batch that waited too long must fail and not resume.
      await removal.once()
      runner.start()
      runner.wake()
    },
    wake: () => runner.wake(),
    close: async () => void (await Promise.all([runner.close(), removal.close()])),
  }
}

/**
 * A lease in the database ensures that each batch has one runner across all nodes. Batches of a dead node are taken over
 * when its leases end.
 */
function batchWork(deps: BatchDeps): Work<StoredBatch> {
  const node = randomUUID()
  const beat = new Beat()
  const running = new Set<StoredBatch>()
  return {
    name: 'batches',
    everyMs: checkEveryMs,
    keyOf: ({ public_id: id }) => id,
    async claim(inProgress) {
      const isFull = inProgress.length >= batchesAtOnce
      const limit = (isFull ? batchesAtMost : batchesAtOnce) - inProgress.length
      if (limit <= 0) return []
      const most = { limit, ofEnvironment: isFull ? 1 : batchesOfEnvironment, except: inProgress.map(({ id }) => id) }
      return deps.store.batches.claimBatches({ node, now: deps.clock.now(), leaseMs, pauseAtMostMs, ...most })
    },
    async run(batch, stop) {
      running.add(batch)
      const rowsAtOnce = () => shareOf([...running], batch)
      const whole = () => new BatchRun(deps, batch, { rowsAtOnce, beat, stop }).run()
      await (batch.mode === 'test' ? runSamples(deps, batch, stop) : whole()).finally(() => running.delete(batch))
    },
    renew: {
      everyMs: renewEveryMs,
      keep: (inProgress) => {
        const leases = inProgress.map(({ public_id: id, lease: number }) => ({ id, number }))
        return deps.store.leases.renewLeases({ of: 'batches', leases, leaseMs })
      },
    },
  }
}

/** Shares the rows among environments, and then among the batches of each. */
function shareOf(running: readonly StoredBatch[], { account_id: own }: StoredBatch): number {
  const environments = running.map((batch) => batch.account_id)
  const ofOwn = environments.filter((each) => each === own).length
  return Math.max(1, Math.min(rowsOfOne, Math.floor(rowsOfAll / new Set(environments).size / ofOwn)))
}

const rowsAtOnce = 50

/**
 * Runs a batch of a test key: only its counts are stored, because its samples are recomputed on each read. If it is
 * stopped, the next runner continues.
 */
async function runSamples(deps: BatchDeps, batch: StoredBatch, stop: AbortSignal): Promise<void> {
  const { id, lease, public_id: publicId, kind } = batch
  const counts = { found: 0, not_found: 0, invalid: 0, failed: 0 }
  const options = optionsOf(batch)
  for (let after = 0; ;) {
    const rows = await deps.store.batches.pendingBatchRows({ id, after, limit: rowsAtOnce })
    for (const row of rows) counts[sampleRow(deps, { publicId, kind, options }, row).result.status]++
    if (rows.length < rowsAtOnce) break
    if (stop.aborted) return deps.store.batches.leaveBatch({ publicId, lease, end: { status: 'running' } })
    after = rows.at(-1)?.number ?? after
  }
  const at = deps.clock.now()
  await deps.store.batches.completeSampleBatch({ id, counts, at, expiresAt: at + deps.rules.keptMs })
}
