import { describe, expect, test } from 'vitest'
import { hasEngines } from '../harness/scale-out-engine.ts'
import { runChaos } from './chaos-run.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
const cycles = Number(process.env['VITAE_TEST_CHAOS_CYCLES'] ?? (isLong ? 100 : 2))

describe.skipIf(!hasEngines)('chaos', () => {
  test(
    `${cycles} cycles of killed nodes, PostgreSQL stopped at once, Redis killed and frozen, under load: no charge is lost or doubled`,
    { timeout: 600_000 + cycles * 60_000 },
    async ({ skip }) => {
      const tally = await runChaos({ cycles })
      if (!tally) return skip('PostgreSQL or Redis cannot be started here')

      console.log(`chaos: ${tally.cycles} cycles, ${tally.answered} calls, ends ${JSON.stringify(tally.ends)}`)
      expect(tally.spent).toBe(tally.answered)
      expect(tally.ledger).toMatchObject({ ok: true, differences: [] })
      // A retry of an answer that was cut off after its charge is free.
      expect(tally.charged).toBeLessThanOrEqual(tally.answered)
      expect(tally.failed).toBeGreaterThan(0)
    },
  )
})
