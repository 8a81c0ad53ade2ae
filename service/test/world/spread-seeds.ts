import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Broken } from './laws/tally.ts'

/** The job of a worker process. */
export interface Share {
  seeds: number[]
  /** The planted fault. */
  plant: string | undefined
  /** The person whose answers and events are printed. */
  person: number | undefined
  isQuick: boolean
}

type Counts = Record<string, number>

/** The report of one seed. */
interface Result {
  seed: number
  checked: Counts
  undecided: Counts
  facts: Counts
  broken: Broken[]
}

/** The combined results. */
export interface Played {
  seeds: number
  failed: number[]
  checked: Counts
  undecided: Counts
  facts: Counts
}

interface Options {
  first: number
  count: number
  jobs: number
  plant: string | undefined
  person: number | undefined
  isQuick: boolean
  /** Prints all violations, not only the first of each law. */
  isWordy: boolean
}

/** The seeds of one process are years apart, because request ids only increase. */
const seedsPerProcess = 16
/** After this number of failures, more seeds would show nothing new. */
const failedAtMost = 10

/** Plays seeds in several processes, and reports those that break a law. */
export async function spreadSeeds(options: Options): Promise<Played> {
  const { first, count, jobs, plant, person, isQuick } = options
  const played: Played = { seeds: 0, failed: [], checked: {}, undecided: {}, facts: {} }
  const seeds = Array.from({ length: count }, (_, index) => first + index)
  const shares = [...Map.groupBy(seeds, (seed) => `${seed % jobs} ${Math.floor(seed / seedsPerProcess)}`).values()]
  const isOver = () => played.failed.length >= (plant === undefined ? failedAtMost : 1)
  const work = async () => {
    for (let share = shares.shift(); share && !isOver(); share = shares.shift())
      await playShare({ seeds: share, plant, person, isQuick }, isOver, (result) =>
        take(played, result, options.isWordy),
      )
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return { ...played, failed: played.failed.toSorted((a, b) => a - b) }
}

function playShare(share: Share, isOver: () => boolean, onResult: (result: Result) => void): Promise<void> {
  const child = fork(join(import.meta.dirname, 'play-process.ts'), { execArgv: ['--no-warnings'] })
  child.on('message', (result: Result) => {
    if (!isOver()) onResult(result)
    if (isOver()) child.kill()
  })
  child.send(share)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      if (code === 0 || isOver()) resolve()
      else reject(new Error(`a process that plays seeds ended with ${code}`))
    })
  })
}

function take(played: Played, { seed, checked, undecided, facts, broken }: Result, isWordy: boolean): void {
  played.seeds += 1
  add(played.checked, checked)
  add(played.undecided, undecided)
  add(played.facts, facts)
  if (broken.length === 0) return
  played.failed.push(seed)
  for (const [law, some] of Map.groupBy(broken, (one) => one.law)) {
    console.error(`seed ${seed} breaks ${some.length} times: ${law}: ${some[0]?.what}`)
    if (isWordy) for (const { what } of some.slice(1)) console.error(`    ${what}`)
  }
  console.error(`  repeat it: npm run world -- --seed ${seed}`)
}

function add(sums: Counts, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}
