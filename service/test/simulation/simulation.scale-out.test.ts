import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')
const seeds = process.env['VITAE_TEST_LONG'] ? 30 : 2
/** Half of the steps on SQLite, because a life costs ten times as much here. */
const steps = process.env['VITAE_TEST_LONG'] ? '120' : '60'

test.runIf(process.env['TEST_POSTGRES_URL'])(
  `${seeds} seeds of calls, faults, crashes and operators' changes break no law of money on PostgreSQL`,
  { timeout: 600_000 + seeds * 60_000 },
  async () => {
    const size = ['--seeds', String(seeds), '--steps', steps, '--jobs', '1']
    const args = ['--no-warnings', main, '--engine', 'postgres', ...size, '--quick', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args)

    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ seeds, failed: [] })
  },
)

/** Seeds with one and with several nodes. */
const compared = process.env['VITAE_TEST_LONG'] ? { seeds: 20, steps: '120' } : { seeds: 1, steps: '40' }

test.runIf(process.env['TEST_POSTGRES_URL'])(
  `${compared.seeds} seeds lead to the same events and the same store on both engines`,
  { timeout: 600_000 + compared.seeds * 60_000 },
  async () => {
    const size = ['--seed', '8', '--seeds', String(compared.seeds), '--steps', compared.steps, '--jobs', '1']
    const args = ['--no-warnings', main, '--engine', 'both', ...size, '--quick', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args)

    const played = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { calls: number; laws: unknown }
    expect(played).toMatchObject({ seeds: compared.seeds, failed: [] })
    expect(played.laws).toMatchObject({ 'both engines reach the same state': { applied: compared.seeds } })
    expect(played.calls).toBeGreaterThan(10)
  },
)
