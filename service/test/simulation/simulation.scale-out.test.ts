import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')
const seeds = 20
const isRun = Boolean(process.env['TEST_POSTGRES_URL'] && process.env['VITAE_TEST_LONG'])

test.runIf(isRun)(
  `${seeds} seeds of calls, faults, crashes and operators' changes break no law of money on PostgreSQL`,
  { timeout: 600_000 + seeds * 30_000 },
  async () => {
    const args = ['--no-warnings', main, '--engine', 'postgres', '--seeds', String(seeds), '--jobs', '1', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args)

    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ seeds, failed: [] })
  },
)
