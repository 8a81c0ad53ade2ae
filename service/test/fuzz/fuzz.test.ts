import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('mutated inputs are parsed as by Node and JSON.parse, for any chunks, and none hangs', () => {
  const options = [join(import.meta.dirname, 'main.ts'), '--seconds', '2', '--seed', '1']

  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', ...options], {
    encoding: 'utf8',
    timeout: 500_000,
  })

  const { inputs, failures } = JSON.parse(stdout.trim() || JSON.stringify({ failures: [stderr] })) as {
    inputs: number
    failures: string[]
  }
  expect(failures).toEqual([])
  // The initial inputs, and at least one mutation.
  expect(inputs).toBeGreaterThan(15)
})
