import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')
const seeds = process.env['VITAE_TEST_LONG'] ? 100 : 10
/** Half of what a seed has on SQLite: a life costs ten times as much here. */
const steps = process.env['VITAE_TEST_LONG'] ? '120' : '60'

// Not in `npm test`: one of two runs failed since strikes end the process in the midst of an operation (see the README beside).
test.runIf(process.env['TEST_POSTGRES_URL'] && process.env['VITAE_TEST_LONG'])(
  `${seeds} seeds of calls, faults, crashes and operators' changes break no law of money on PostgreSQL`,
  { timeout: 600_000 + seeds * 30_000 },
  async () => {
    const size = ['--seeds', String(seeds), '--steps', steps, '--jobs', '1']
    const args = ['--no-warnings', main, '--engine', 'postgres', ...size, '--quick', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args)

    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ seeds, failed: [] })
  },
)
