import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test(
  'changed inputs are read as Node and JSON.parse read them, however they are cut, and none hangs',
  { timeout: 180_000 },
  () => {
    const options = [join(import.meta.dirname, 'main.ts'), '--seconds', '6', '--seed', '1']

    const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', ...options], {
      encoding: 'utf8',
      timeout: 170_000,
    })

    const { inputs, failures } = JSON.parse(stdout.trim() || JSON.stringify({ failures: [stderr] })) as {
      inputs: number
      failures: string[]
    }
    expect(failures).toEqual([])
    // What it begins with, and at least one change.
    expect(inputs).toBeGreaterThan(15)
  },
)
