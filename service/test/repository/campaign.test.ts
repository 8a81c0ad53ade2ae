import { expect, test } from 'vitest'
import { withRow } from '../../../scripts/campaign/append-figures.ts'

const of = { date: '2026-01-02', commit: 'abc', machine: '2 cores' }
const row = { ...of, minutes: 3, seed: 7, stages: ['soak: 5 calls'], lost: 0, doubled: 0, failed: 0 }
const line = '| 2026-01-02 | abc | 2 cores | 3 | 7 | soak: 5 calls | 0 | 0 | 0 |'

test('the figures of a campaign go below its table, and nothing else changes', () => {
  const first = withRow('# A guide\n', row)
  const guide = `${first}\n## More\n\n| other | table |\n|---|---|\n`

  const second = withRow(guide, { ...row, seed: 8 })

  expect(first.endsWith(`|\n${line}\n`)).toBe(true)
  expect(second).toBe(guide.replace(line, `${line}\n${line.replace('| 7 |', '| 8 |')}`))
})
