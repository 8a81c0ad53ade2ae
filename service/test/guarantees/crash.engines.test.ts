import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveDemo } from '../harness/child-service.ts'
import { onPostgres } from '../harness/engines.ts'
import { runCrashes } from './crash-run.ts'

const cycles = process.env['VITAE_TEST_LONG'] ? 200 : 3
const careless = [join(import.meta.dirname, 'careless-service.ts')]

test(
  `${cycles} crashes under load lose no charge and bill no call twice`,
  { timeout: 60_000 + cycles * 15_000 },
  async () => {
    const tally = await runCrashes({ program: serveDemo, cycles })

    console.log(
      `crashes: ${cycles} cycles, ${tally.calls} calls answered, ${tally.spent} billed, ${tally.cutOff} cut off`,
    )
    expect(tally).toMatchObject({
      spent: tally.calls,
      held: 0,
      ledger: { ok: true, differences: [] },
      integrity: 'ok',
      wrong: [],
    })
    expect(tally.calls).toBeGreaterThan(cycles)
    expect(tally.cutOff).toBeGreaterThan(0)
  },
)

// What the run counts does not depend on the engine, and this service starts from its sources, which takes long.
test.skipIf(onPostgres)('the same run catches a service that answers before its commit', async () => {
  const tally = await runCrashes({ program: careless, cycles: 1 })

  expect(tally.cutOff).toBeGreaterThan(0)
  expect(tally.spent).toBeLessThan(tally.calls)
  expect(tally.wrong).not.toEqual([])
})
