import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { planted } from '../simulation/faults/plant.ts'
import { faults } from './faults/faults.ts'

const main = join(import.meta.dirname, 'main.ts')
const isLong = Boolean(process.env['VITAE_TEST_LONG'])
const seeds = isLong ? 200 : 2
/** Laws that must have many cases in every run, so that none passes without being checked. */
const busyLaws = [
  'no strangers are merged',
  'no person with a proven id is split',
  'a key does not change',
  'every reported job change happened',
  'a change that one lens shows before and after is reported',
  'a change is reported once',
  'no other person is served past expect.*',
] as const

/**
 * The last object that a run prints. It runs in its own process, because the world replaces all timers of a process.
 */
async function play(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', main, '--json', ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>
}

test(
  `${seeds} seeds of two years break no law of identity, changes and guards`,
  { timeout: 600_000 + seeds * 20_000 },
  async () => {
    const size = isLong ? [] : ['--quick']
    const played = await play('--seeds', String(seeds), '--jobs', '1', ...size)

    expect(played).toMatchObject({ seeds, failed: [] })
    const checked = played['checked'] as Record<string, number>
    expect(busyLaws.filter((law) => (checked[law] ?? 0) < seeds * 4)).toEqual([])
  },
)

test.for(faults)('the source text of a fault exists: $name', (fault) => {
  const source = readFileSync(join(import.meta.dirname, '../../src', fault.file), 'utf8')

  expect(planted(fault, source)).not.toBe(source)
})

test.runIf(isLong).for(faults.map(({ name }) => name))(
  'a planted fault is found: %s',
  { timeout: 1_200_000 },
  async (name) => {
    expect(await play('--faults', name, '--seeds', '50')).toMatchObject({ missed: [] })
  },
)
