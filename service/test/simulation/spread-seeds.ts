import { fork } from 'node:child_process'
import { join } from 'node:path'
import { addExercises, type Exercises } from './laws/exercises.ts'
import type { EngineName } from './play-seeds.ts'
import type { SeedResult } from './run-seed.ts'
import { seedsUntil2250 } from './weights.ts'

interface Options {
  first: number
  count: number
  steps: number
  jobs: number
  engine: EngineName
  only: ReadonlySet<number> | undefined
  /** Steps that are not drawn. */
  without: readonly string[]
  onStep: ((line: string) => void) | undefined
  /** The planted fault. */
  plant: string | undefined
  shrink: boolean
}

/** The combined results. */
interface Played {
  seeds: number
  calls: number
  deaths: number
  /** Digest of all seeds, independent of their order. */
  digest: number
  failed: number[]
  /** The outcomes of calls: by status, and by kind of request. */
  answers: Record<string, number>
  /** How often each law was checked. */
  exercises: Exercises
}

/** The job of a worker process, and its report on each seed. */
export interface Share {
  seeds: number[]
  steps: number
  plant: string | undefined
  engine: EngineName
  without: readonly string[]
}
export type Result = SeedResult & { seed: number }

const reportEveryMs = 10_000
/** After this number of failures, more seeds would show nothing new. */
const failedAtMost = 10

/** The command that plays a seed step by step. */
export function commandOf(seed: number, options: Pick<Options, 'steps' | 'engine' | 'without'>): string {
  const { steps, engine, without } = options
  const settings = [
    steps === 120 ? '' : ` --steps ${steps}`,
    engine === 'sqlite' ? '' : ` --engine ${engine}`,
    without.length === 0 ? '' : ` --without ${without.join(',')}`,
  ]
  return `npm run simulate -- --seed ${seed}${settings.join('')}`
}

/** Plays seeds in several processes, and reports those that break a law. */
export async function spreadSeeds(options: Options): Promise<Played> {
  const { first, count, shrink } = options
  const played: Played = { seeds: 0, calls: 0, deaths: 0, digest: 0, failed: [], answers: {}, exercises: {} }
  const isOver = () => played.failed.length >= (options.plant === undefined ? failedAtMost : 1)
  const take = ({ seed, calls, deaths, digest, answers, exercises, violation }: Result) => {
    if (isOver()) return
    played.seeds += 1
    played.calls += calls
    played.deaths += deaths
    for (const [end, count] of Object.entries(answers)) played.answers[end] = (played.answers[end] ?? 0) + count
    addExercises(played.exercises, exercises)
    played.digest = (played.digest ^ digest) >>> 0
    if (!violation) return
    played.failed.push(seed)
    console.error(`seed ${seed} breaks at step ${violation.step}: ${violation.law}: ${violation.what}`)
    console.error(`  repeat it: ${commandOf(seed, options)}`)
  }
  const seeds = Array.from({ length: count }, (_, index) => first + index)
  if (count === 1) await playHere(seeds, options, take, isOver)
  else
    for (const [, group] of Map.groupBy(seeds, (seed) => Math.floor(seed / seedsUntil2250)))
      if (!isOver()) await playApart(group, options, take, isOver)
  const [failed] = played.failed
  if (failed !== undefined && shrink) await explain(failed, options)
  return { ...played, failed: played.failed.toSorted((a, b) => a - b) }
}

async function playHere(
  seeds: readonly number[],
  { steps, only, without, onStep, engine, plant }: Options,
  take: (result: Result) => void,
  isOver: () => boolean,
): Promise<void> {
  const { openPlayer } = await import('./play-seeds.ts')
  const player = await openPlayer(engine, plant)
  for (const seed of seeds) {
    if (isOver()) break
    take({ seed, ...(await player.play(seed, { steps, only, without, onStep })) })
  }
  await player.close()
}

/** Each process plays every n-th seed. */
async function playApart(
  seeds: readonly number[],
  { steps, jobs, plant, engine, without }: Options,
  take: (result: Result) => void,
  isOver: () => boolean,
): Promise<void> {
  const began = performance.now()
  let done = 0
  const progress = setInterval(() => {
    const perMinute = Math.round((done / (performance.now() - began)) * 60_000)
    console.error(`${done} of ${seeds.length} seeds, ${perMinute} per minute`)
  }, reportEveryMs)
  const shares = Array.from({ length: jobs }, (_, job) => seeds.filter((_seed, index) => index % jobs === job))
  const running = shares.map((share) => {
    const child = fork(join(import.meta.dirname, 'play-process.ts'), { execArgv: ['--no-warnings'] })
    child.on('message', (result: Result) => {
      done += 1
      take(result)
      if (isOver()) for (const one of running) one.child.kill()
    })
    child.send({ seeds: share, steps, plant, engine, without } satisfies Share)
    const ended = new Promise<void>((resolve, reject) => {
      child.on('exit', (code) => {
        if (code === 0 || isOver()) resolve()
        else reject(new Error(`a process that plays seeds ended with ${code}`))
      })
    })
    return { child, ended }
  })
  await Promise.all(running.map(({ ended }) => ended)).finally(() => clearInterval(progress))
}

async function explain(seed: number, { steps, engine, without }: Options): Promise<void> {
  const { shrink } = await import('./shrink.ts')
  await shrink(seed, { steps, engine, without })
}
