import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')
const isLong = Boolean(process.env['VITAE_TEST_LONG'])
const seeds = isLong ? 1_000 : 60

async function simulate(...args: string[]): Promise<Record<string, unknown>> {
  // A process of its own: the simulation owns the timers of the whole process.
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', main, '--json', ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown>
}

test(
  `${seeds} seeds of calls, faults, crashes and operators' changes break no law of money`,
  { timeout: 60_000 + seeds * 5_000 },
  async () => {
    const played = await simulate('--seeds', String(seeds))

    expect(played).toMatchObject({ seeds, failed: [] })
    expect(played['calls']).toBeGreaterThan(seeds * 10)
    expect(played['deaths']).toBeGreaterThan(seeds)
  },
)

test('the same seed plays the same run', { timeout: 120_000 }, async () => {
  const [{ seconds: _, ...first }, { seconds: __, ...second }] = [
    await simulate('--seed', '7', '--seeds', '3'),
    await simulate('--seed', '7', '--seeds', '3'),
  ]

  expect(second).toEqual(first)
})

test('a planted fault is found', { timeout: 240_000 }, async () => {
  const found = await simulate('--faults', 'a failed fetch keeps its hold', '--seeds', '40')

  expect(found['seeds']).not.toBeNull()
})
