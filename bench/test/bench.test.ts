import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { Result } from '../src/report/result.ts'
import { barChart } from '../src/report/bar-chart.ts'
import { fillGuide, readResults, resultsPage } from '../src/report/results-page.ts'
import { scenarioNames } from '../src/scenarios/scenarios.ts'
import { spread } from '../src/report/spread.ts'

const root = join(import.meta.dirname, '../..')
const main = join(root, 'bench/src/main.ts')
const run = ['--scenario', 'hot', '--contestant', 'node-http', '--quick', '--seconds', '1', '--rounds', '1', '--json']

test('a run compares contestants, and the balance falls by exactly the number of live answers', async () => {
  const out = mkdtempSync(join(tmpdir(), 'vitae-bench-test-'))
  onTestFinished(() => rmSync(out, { recursive: true, force: true }))
  const child = spawn(process.execPath, [main, ...run, '--out', out], { stdio: ['ignore', 'pipe', 'inherit'] })

  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])

  expect(code).toBe(0)
  const [result] = JSON.parse(output) as Result[]
  expect(JSON.parse(readFileSync(join(out, 'hot.json'), 'utf8'))).toEqual(result)
  expect(result?.rows.map(({ name }) => name)).toEqual(['vitae-live', 'node-http', 'raw-socket'])
  for (const { measures } of result?.rows ?? []) {
    expect(Object.keys(measures)).toEqual(expect.arrayContaining(['requests/s', 'p50 ms', 'p99 ms']))
    expect(measures['requests/s']?.median).toBeGreaterThan(0)
  }
  expect(result?.ratios[0]).toMatchObject({ of: 'vitae-live', to: 'node-http', measure: 'requests/s' })
  const [check] = result?.billing ?? []
  expect(check?.answers).toBeGreaterThan(0)
  expect(check).toMatchObject({ name: 'vitae-live', spent: check?.answers, exact: true })
  expect(result?.machine.node).toBe(process.versions.node)
  expect(existsSync(join(out, `bench-hot-${process.arch}.svg`))).toBe(true)
})

test('a spread has the median of an even and of an odd number of rounds', () => {
  expect(spread([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5 })
  expect(spread([4, 1, 3, 2])).toEqual({ median: 2.5, min: 1, max: 4 })
})

const machine = {
  cpu: 'A & B',
  cores: 2,
  memoryGb: 8,
  platform: 'linux x64',
  node: '24.0.0',
  date: '2026-11-14',
  pinning: 'none',
  loadGenerator: 'wrk',
}
const row = (name: string, value: number) => ({ name, measures: { 'requests/s': spread([value]) } })
const result: Result = {
  scenario: 'hot',
  title: 'a < b',
  command: 'npm run bench -- "x"',
  machine,
  settings: { seconds: 1, rounds: 1, connections: 64, quick: true, full: false },
  rows: [row('vitae-live', 100), row('node & http', 200)],
  ratios: [{ of: 'vitae-live', to: 'node & http', measure: 'requests/s', value: spread([0.5]) }],
  billing: [{ name: 'vitae-live', answers: 100, spent: 99, exact: false }],
  verdicts: [{ claim: 'fast', wanted: 'at least 1 x', got: '0.50 x', met: false }],
  notes: [],
  shown: 'requests/s',
}

test('a picture is well-formed for any names, and its longest bar stays inside', () => {
  const svg = barChart(result)

  expect(svg).not.toMatch(/&(?!amp;|lt;|quot;)/)
  const bars = [...svg.matchAll(/<rect[^>]* x="([\d.]+)"[^>]* width="([\d.]+)"/g)]
  const ends = bars.map(([, x, width]) => Number(x) + Number(width))
  expect(ends).toHaveLength(2)
  expect(Math.max(...ends)).toBeLessThan(Number(/<svg[^>]* width="(\d+)"/.exec(svg)?.[1]))
})

test('the guide gets the headline figures between its marks, and the page shows the claims that were missed', () => {
  const guide = 'before\n<!-- bench -->\nyesterday\n<!-- /bench -->\nafter\n'

  const filled = fillGuide(fillGuide(guide, [result]), [result])

  expect(filled).toMatch(/^before\n<!-- bench -->\n`npm run bench/)
  expect(filled).toContain('| vitae-live | 100 |')
  expect(filled).toContain('| fast | at least 1 x | 0.50 x **not met** | hot |')
  expect(filled).toMatch(/\n<!-- \/bench -->\nafter\n$/)
  expect(filled).not.toContain('yesterday')

  const page = resultsPage([result])
  expect(page).toContain('| vitae-live / node & http | requests/s | 0.50 |')
  expect(page).toContain('**not exact**')
})

test('the claims for several kinds of machines stand side by side, each with its own figure', () => {
  const arm = { ...result, machine: { ...machine, platform: 'linux arm64' } }
  const met = { claim: 'fast', wanted: 'at least 1 x', got: '1.10 x', met: true }
  const guide = fillGuide('<!-- bench -->\n<!-- /bench -->\n', [result, { ...arm, verdicts: [met] }])

  expect(guide).toContain('0 of 1 promises are met. The others, each measured with `npm run bench -- --scenario NAME`:')
  expect(guide).toMatch(/\| promise \| wanted \| arm64, Node \d+, [\d-]+ \| x64, Node \d+, [\d-]+ \| scenario \|/)
  expect(guide).toContain('| fast | at least 1 x | 1.10 x | 0.50 x **not met** | hot |')
})

test('the page of results and the guide match the files in bench/results', () => {
  const results = readResults(join(root, 'bench/results'), scenarioNames)
  const guide = readFileSync(join(root, 'docs/guides/performance.md'), 'utf8')

  expect(readFileSync(join(root, 'bench/results/README.md'), 'utf8')).toBe(resultsPage(results))
  expect(fillGuide(guide, results)).toBe(guide)
  expect(guide).toContain('<!-- bench -->')
})
