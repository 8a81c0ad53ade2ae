import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { onPostgres, openOwnDatabase } from '../../harness/engines.ts'
import { runCrashes, servedDemo } from './crash-run.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
/**
 * In one cycle an erasure ends before the crash, in the next a node is frozen before it. `npm run campaign` runs more.
 */
const cycles = isLong ? 100 : 2
const careless = [join(import.meta.dirname, 'careless-service.ts')]

test(
  `${cycles} crashes under load, with batches, webhooks, erasures, frozen nodes and a faulty module, lose no charge, bill nothing twice and no failure, and exceed no limit`,
  { timeout: 600_000 + cycles * 30_000 },
  async () => {
    const database = onPostgres ? await openOwnDatabase() : null
    onTestFinished(() => database?.drop())
    const scaleOut = database && { databaseUrl: database.url, redisUrl: process.env['TEST_REDIS_URL'] }
    // With few callers an erasure ends soon; many callers keep the machine busy.
    const size = isLong ? { longFreezeEvery: 5 } : { callers: 6 }
    const tally = await runCrashes({ program: servedDemo, cycles, scaleOut, ...size })

    const { ledger: _, ...figures } = tally
    console.log(`crashes: ${JSON.stringify(figures)}`)
    expect(tally).toMatchObject({
      spent: tally.calls,
      alone: { spent: tally.alone.calls - tally.alone.failed },
      paidFailures: 0,
      held: 0,
      ledger: { ok: true, differences: [] },
      integrity: 'ok',
      wrong: [],
      work: { lost: 0, doubled: 0, overLimit: 0, wrong: [] },
    })
    expect(Math.min(tally.work.batches, tally.work.events, tally.work.erasures, tally.frozen)).toBeGreaterThan(0)
    expect(tally.calls).toBeGreaterThan(cycles)
    expect(Math.min(tally.cutOff, tally.failures, tally.alone.spent)).toBeGreaterThan(0)
  },
)

// The counting does not depend on the engine, and this service starts slowly from its sources.
test.runIf(isLong && !onPostgres)('the same run catches a service that answers before its commit', async () => {
  const tally = await runCrashes({ program: careless, cycles: 1 })

  expect(tally.cutOff).toBeGreaterThan(0)
  expect(tally.spent).toBeLessThan(tally.calls)
  expect(tally.wrong).not.toEqual([])
})
