import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withRow } from '../../../scripts/campaign/append-figures.ts'
import { addTurn, keep, nextTurn, resume, type Done, type Plan } from '../../../scripts/campaign/plan.ts'
import type { Figures, Stage } from '../../../scripts/campaign/stages.ts'

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

const figures = (counts: Record<string, number>): Figures => ({ counts, lost: 0, doubled: 0, failures: [] })
const stageOf = (name: string, goal: Stage['goal'], share = 0.5): Stage => {
  return { name, share, goal, run: () => Promise.resolve(figures({})) }
}
const stages = [
  stageOf('kills', { of: 'cycles', reach: 100 }),
  stageOf('soak', { of: 'minutes at most', reach: 60, ms: 3_600_000 }),
]
const full: Plan = { commit: 'abc', seed: 7, hours: null, stages: ['kills', 'soak'] }

/** Plays turns with the given counts each; returns what was run. */
function play(plan: Plan, done: Done, counts: Record<string, Record<string, number>>): { turns: string[]; done: Done } {
  const turns: string[] = []
  for (let turn = nextTurn(plan, stages, done); turn; turn = nextTurn(plan, stages, done)) {
    const { name } = turn.stage
    turns.push(`${name} ${turn.seed} ${turn.ms / 60_000}`)
    done = addTurn(done, name, { seconds: 1, figures: figures(counts[name] ?? {}), interrupted: false })
  }
  return { turns, done }
}

test('a campaign of one hour has two rounds of each stage, each with seeds of its own', () => {
  expect(play({ ...full, hours: 1 }, {}, {}).turns).toEqual([
    'kills 7 15',
    'soak 7 15',
    'kills 100007 15',
    'soak 100007 15',
  ])
})

test('a full campaign runs until each stage reached its goal; an interrupted one repeats only the stage that was cut off, with other seeds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-campaign-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'campaign.json')
  const first = addTurn(resume(file, full), 'kills', {
    seconds: 60,
    figures: { ...figures({ cycles: 60 }), lost: 1 },
    interrupted: false,
  })
  const cutOff = { seconds: 60, figures: figures({ 'minutes at most': 20 }), interrupted: true }
  keep(file, full, addTurn(first, 'soak', cutOff))

  const { turns, done } = play(full, resume(file, full), { kills: { cycles: 60 }, soak: { 'minutes at most': 60 } })

  expect(turns).toEqual(['soak 100007 60', 'kills 100007 15'])
  expect(done['kills']).toMatchObject({ figures: { counts: { cycles: 120 }, lost: 1 }, seconds: 61 })
  expect(done['soak']).toMatchObject({ begun: 2, ended: 1, figures: { counts: { 'minutes at most': 60 } } })
})

test('a campaign is not continued on another commit, on changed files or with other options', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-campaign-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'campaign.json')
  keep(file, full, {})

  expect(() => resume(file, { ...full, commit: 'def' })).toThrow(/another campaign/)
  expect(() => resume(file, { ...full, seed: 8 })).toThrow(/another campaign/)
  expect(() => resume(file, { ...full, commit: 'abc, changed' })).toThrow(/commit your changes/)
})
