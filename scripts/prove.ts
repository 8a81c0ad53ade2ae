/** `npm run prove`: plays fresh seeds, as the hourly and nightly workflows do, and describes a failure as an issue. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { addExercises, neverExercised, type Exercises } from '../service/test/simulation/laws/exercises.ts'
import { runJson } from './campaign/run-json.ts'

const usage = `npm run prove -- simulator | world | campaign [options]

Plays seeds that nobody has played before, until the time is up. A failure is printed as an issue: the seed, the commit and
the one command that replays it. Exits with 1 if anything failed.

  --minutes M     duration (20)
  --engine NAME   for the simulator: sqlite (default), postgres, or both, which compares their states
  --first S       first seed (from the time, so that every run has its own)
  --plant NAME    plant the fault whose name contains NAME, to see that a failure is reported
  --issue         open the issue at GitHub, with the program gh

Example: npm run prove -- simulator --engine postgres --minutes 5`

/** The findings of one run of a subject. */
interface Found {
  failed: readonly (number | string)[]
  /** Its last messages, for the issue. */
  said: string
}

const scripts = { simulator: 'service/test/simulation/main.ts', world: 'service/test/world/main.ts' } as const
const seedsPerRun = { simulator: 25, world: 2 } as const
const seedsForLaws = 1_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'sqlite' },
    first: { type: 'string', default: String(Math.floor(Date.now() / 1_000)) },
    plant: { type: 'string' },
    issue: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const subject = positionals[0]
const minutes = Number(values.minutes)
const first = Number(values.first)

async function main(): Promise<boolean> {
  if (values.help) return console.log(usage) === undefined
  if (subject !== 'simulator' && subject !== 'world' && subject !== 'campaign') throw new Error(usage)
  if (!(minutes > 0) || !Number.isSafeInteger(first))
    throw new Error('--minutes is a number above 0, --first a whole number')
  const found = subject === 'campaign' ? await runCampaign() : await playSeeds(subject)
  if (found.failed.length > 0) report(found)
  return found.failed.length === 0
}

/** Plays runs of seeds until the time is up, or until one fails. */
async function playSeeds(name: 'simulator' | 'world'): Promise<Found> {
  const end = performance.now() + minutes * 60_000
  const count = seedsPerRun[name]
  const engine = name === 'simulator' ? ['--engine', values.engine] : []
  const plant = values.plant === undefined ? [] : ['--plant', values.plant]
  const exercises: Exercises = {}
  let played = 0
  for (let seed = first; performance.now() < end; seed += count) {
    const options = ['--seed', String(seed), '--seeds', String(count), '--quick', '--json', ...engine, ...plant]
    const { figures, code, said } = await runJson<{ failed: number[]; laws?: Exercises }>(scripts[name], options)
    addExercises(exercises, figures?.laws ?? {})
    played += count
    console.log(`${name}: seeds ${seed} to ${seed + count - 1}, ${figures?.failed.length ?? 'all'} failed`)
    if (code === 0) continue
    return { failed: figures?.failed.length ? figures.failed : [seed], said }
  }
  return name === 'simulator' ? unexercised(exercises, played) : { failed: [], said: '' }
}

/** From 1,000 seeds on, a law whose premise was never true is a failure: the simulator could not have seen it broken. */
function unexercised(exercises: Exercises, played: number): Found {
  const engine = values.engine === 'both' ? 'both' : 'sqlite'
  const laws = played < seedsForLaws ? [] : neverExercised(exercises, engine)
  const said = laws.map((law) => `the premise of this law was never true in ${played} seeds: ${law}\n`).join('')
  return { failed: laws.length > 0 ? [first] : [], said }
}

async function runCampaign(): Promise<Found> {
  const options = ['--hours', String(minutes / 60), '--seed', String(first), '--no-append', '--json']
  const { code, said } = await runJson('scripts/campaign.ts', options)
  return { failed: code === 0 ? [] : [first], said }
}

/** Prints the issue, and opens it on request. */
function report({ failed, said }: Found): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim()
  const where = subject === 'simulator' ? ` on ${values.engine}` : ''
  const title = `${subject}: seed ${failed[0]} fails${where} at ${commit}`
  const body = `Replay it:

    git checkout ${commit} && npm ci && ${replay(failed[0])}

Failed seeds of this run: ${failed.join(', ')}

Last messages:

${said.slice(-4_000).replaceAll(/^/gm, '    ')}
`
  console.log(`\n# ${title}\n\n${body}`)
  if (process.env['GITHUB_STEP_SUMMARY'])
    writeFileSync(process.env['GITHUB_STEP_SUMMARY'], `# ${title}\n\n${body}`, { flag: 'a' })
  if (!values.issue) return
  const opened = spawnSync('gh', ['issue', 'create', '--title', title, '--body', body], { stdio: 'inherit' })
  if (opened.status !== 0)
    console.error('The issue could not be opened. Install gh, and set GH_TOKEN with the right to write issues.')
}

/** The one command that plays a failed seed again. */
function replay(seed: number | string | undefined): string {
  const plant = values.plant === undefined ? '' : ` --plant '${values.plant}'`
  if (subject === 'campaign') return `npm run campaign -- --hours ${minutes / 60} --seed ${seed} --no-append`
  if (subject === 'world') return `npm run world -- --seed ${seed} --quick${plant}`
  return `npm run simulate -- --seed ${seed} --engine ${values.engine}${plant}`
}

process.exit((await main()) ? 0 : 1)
