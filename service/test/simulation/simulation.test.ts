import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { faults } from './faults/faults.ts'
import { planted } from './faults/plant.ts'

const main = join(import.meta.dirname, 'main.ts')
const execute = promisify(execFile)
interface Ended {
  code: number
  stdout: string
  stderr: string
}
const isLong = Boolean(process.env['VITAE_TEST_LONG'])
/** The number of seeds that are played twice. `npm run test:long` plays more. */
const twice = isLong ? 5 : 3
const more = 1_000

/**
 * The objects that a run prints. It runs in its own process, because the simulation replaces all timers of a process.
 */
async function simulate(...args: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await execute(process.execPath, ['--no-warnings', main, '--json', ...args])
  const lines = stdout.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

function expectNoneFailed(played: Record<string, unknown> | undefined, seeds: number): void {
  expect(played).toMatchObject({ seeds, failed: [] })
  expect(played?.['calls']).toBeGreaterThan(seeds * 10)
  expect(played?.['deaths']).toBeGreaterThan(seeds)
}

test(
  `${twice} seeds of calls, faults, crashes and operators' changes break no law of money, and run identically in two processes`,
  { timeout: 900_000 },
  async () => {
    const [once] = await simulate('--seeds', String(twice), '--jobs', '1')
    const [again] = await simulate('--seeds', String(twice), '--jobs', '2')

    expectNoneFailed(once, twice)
    expect(again?.['digest']).toBe(once?.['digest'])
  },
)

test.runIf(isLong)(`${more} more seeds break no law of money`, { timeout: 600_000 + more * 5_000 }, async () => {
  const [played] = await simulate('--seed', String(twice + 1), '--seeds', String(more), '--jobs', '1')

  expectNoneFailed(played, more)
})

test(
  'a law whose premise was never true fails by its name, and only from enough seeds on',
  { timeout: 900_000 },
  async () => {
    // Nobody uses a test key.
    const few = ['--seeds', '3', '--steps', '40', '--jobs', '1', '--without', 'sample,outdate,freeze', '--json']
    const failing = execute(process.execPath, ['--no-warnings', main, ...few, '--least', '3'])

    const ended = await failing.then((said) => ({ code: 0, ...said })).catch((error: Ended) => error)
    const { code, stdout, stderr } = ended
    const tooFew = await simulate('--seeds', '0', '--least', '1')

    expect(code).toBe(1)
    expect(tooFew).toMatchObject([{ seeds: 0, failed: [] }])
    expect(stderr).toContain('never true in 3 seeds: a test key costs nothing and gets only samples')
    expect(stderr).not.toContain('charges match the answers')
    const { laws } = JSON.parse(stdout) as { laws: Record<string, { checked: number; applied: number }> }
    expect(laws['charges match the answers']?.applied).toBeGreaterThan(0)
    expect(laws['a test key costs nothing and gets only samples']?.applied ?? 0).toBe(0)
  },
)

test.for(faults)('the source text of a fault exists: $name', (fault) => {
  const source = readFileSync(join(import.meta.dirname, '../../src', fault.file), 'utf8')

  expect(planted(fault, source)).not.toBe(source)
})

/** Faults that are found within a few seeds; `npm run test:long` looks for all. */
const quickly = ['a failed fetch keeps its hold', 'a hold is not checked against other holds']

test.for(isLong ? faults.map(({ name }) => name) : quickly)(
  'a planted fault is found: %s',
  { timeout: 1_200_000 },
  async (name) => {
    const lines = await simulate('--faults', name, '--seeds', isLong ? '1000' : '40')

    expect(lines.at(-1)).toMatchObject({ missed: [] })
  },
)
