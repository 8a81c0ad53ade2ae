/** `npm run simulate`: plays seeds, and prints the command that repeats a failing seed. */
import { chmodSync, mkdtempSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faults } from './faults/faults.ts'
import { findFaults } from './faults/find-faults.ts'
import { plant } from './faults/plant.ts'
import { exerciseTable, neverExercised } from './laws/exercises.ts'
import { numbersIn } from './numbers.ts'
import type { EngineName } from './play-seeds.ts'
import { spreadSeeds } from './spread-seeds.ts'

const usage = `npm run simulate -- [options]

  --seeds N       play N seeds (200)
  --seed S        start with seed S (1); without --seeds play only this one, step by step
  --steps N       steps of each seed (120)
  --only LIST     run only these steps, such as 3,5,9-12
  --engine NAME   sqlite, or postgres: uses TEST_POSTGRES_URL or starts one. both plays each seed on both: other events or
                  another state of the store at the end is a failure
  --jobs N        number of processes (the number of cores)
  --without LIST  never draw these steps, such as vanish,month
  --least N       from N seeds on, a law whose premise was never true fails (1000)
  --quick         do not search for the smallest failing run
  --json          print one JSON object as the last line: {"seeds", "calls", "deaths", "digest", "failed": [seeds], "answers", "laws"}
  --plant NAME    plant the fault whose name contains NAME
  --faults TEXT   search for every planted fault whose name contains TEXT ('' for all), each in --seeds N seeds (1000)

A table shows how often each law was checked on operations that succeeded, and how often its premise was true: without
it, a law holds whatever the service does.

Exits with 1 if a seed failed, a law was never exercised, or a planted fault was not found.
Example: npm run simulate -- --seed 4711`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '120' },
    only: { type: 'string' },
    without: { type: 'string' },
    least: { type: 'string', default: '1000' },
    engine: { type: 'string', default: 'sqlite' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    plant: { type: 'string' },
    faults: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<boolean> {
  const { json, quick } = values
  const [steps, jobs] = [Number(values.steps), Number(values.jobs)]
  if (values.help) return console.log(usage) === undefined
  if (values.faults !== undefined)
    return findFaults(values.faults, {
      ...{ seeds: Number(values.seeds ?? 1_000), jobs, json },
      faults,
      main: join(import.meta.dirname, 'main.ts'),
    })
  if (values.plant !== undefined) plant(values.plant, faults)
  const first = Number(values.seed ?? 1)
  const count = Number(values.seeds ?? (values.seed === undefined ? 200 : 1))
  const only = values.only === undefined ? undefined : numbersIn(values.only)
  const isOne = count === 1 && !json
  const onStep = isOne ? (line: string) => console.log(line) : undefined
  const engine = engineIn(values.engine)
  const stopEngine = engine === 'sqlite' ? null : await provideEngine()
  const began = process.hrtime.bigint()
  const options: Parameters<typeof spreadSeeds>[0] = {
    first,
    count,
    steps,
    jobs,
    engine,
    only,
    without: values.without?.split(',') ?? [],
    onStep,
    plant: values.plant,
    shrink: !quick && !isOne,
  }
  const { seeds, calls, deaths, digest, failed, answers, exercises } = await spreadSeeds(options)
  await stopEngine?.()
  const seconds = Number(process.hrtime.bigint() - began) / 1e9
  console.log(
    json
      ? JSON.stringify({ seeds, calls, deaths, digest, failed, answers, laws: exercises })
      : `${seeds} seeds, ${calls} calls, ${deaths} deaths of the process, ${failed.length} failed, ${seconds.toFixed(1)} s`,
  )
  if (!json) console.log(`outcomes of calls: ${mixOf(answers)}\n\n${exerciseTable(exercises)}`)
  const never = seeds < Number(values.least) ? [] : neverExercised(exercises, engine)
  for (const law of never) console.error(`the premise of this law was never true in ${seeds} seeds: ${law}`)
  return failed.length === 0 && never.length === 0
}

function engineIn(name: string): EngineName {
  if (name === 'sqlite' || name === 'postgres' || name === 'both') return name
  throw new Error(`--engine is sqlite, postgres or both, not ${name}`)
}

/** The percentage of each code, most frequent first. */
function mixOf(answers: Record<string, number>): string {
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const byCode = new Map<string, number>()
  for (const [end, count] of Object.entries(answers)) {
    const code = end.slice(end.indexOf(' ') + 1)
    byCode.set(code, (byCode.get(code) ?? 0) + count)
  }
  const ends = [...byCode].toSorted(([, a], [, b]) => b - a)
  return ends.map(([end, count]) => `${end} ${((100 * count) / all).toFixed(1)} %`).join(', ')
}

/** Starts a PostgreSQL for this run, unless the environment names one. */
async function provideEngine(): Promise<(() => Promise<void>) | null> {
  if (process.env['TEST_POSTGRES_URL']) return null
  const { startPostgres } = await import('../harness/start-engines.ts')
  const folder = mkdtempSync(join(tmpdir(), 'vitae-simulation-'))
  // PostgreSQL refuses to run as root, so it runs as its own user, which needs access.
  chmodSync(folder, 0o755)
  const started = await startPostgres(join(folder, 'postgres'))
  if (!started) throw new Error('no PostgreSQL could be started')
  process.env['TEST_POSTGRES_URL'] = started.url
  return () => started.stop()
}

// Compiling the sources takes longer than ten seeds.
enableCompileCache()
process.exit((await main()) ? 0 : 1)
