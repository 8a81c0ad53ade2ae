import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChaos } from '../../service/test/cluster/chaos-run.ts'
import { runCrashes, type CrashOptions, type CrashTally } from '../../service/test/guarantees/crash/crash-run.ts'
import { LoopDisk } from '../../service/test/guarantees/loop-disk.ts'
import { countOf, lossText, runCuts } from '../../service/test/guarantees/power-cut/run-cuts.ts'
import { serveDemo } from '../../service/test/harness/child-service.ts'
import { startOwnPostgres } from '../../service/test/harness/own-postgres.ts'
import { startRedis } from '../../service/test/harness/start-engines.ts'
import { startWatchedService } from '../../service/test/harness/watched-service.ts'
import {
  attackService,
  hugeAndPolluting,
  inHeaders,
  inParameters,
  inPaths,
  randomBytes,
} from '../../service/test/http/hostile-attacks.ts'
import { Random } from '../../service/test/simulation/world/random.ts'
import { auditWords } from '../audit-ledger.ts'
import { runJson } from './run-json.ts'

/** The figures of a stage. */
export interface Figures {
  counts: Record<string, number>
  lost: number
  doubled: number
  failures: string[]
  /** The reason why it did not run. */
  skipped?: string
}

export interface Turn {
  seed: number
  /** Its time budget; `time` is aborted when that is used up, or when the campaign is stopped. */
  ms: number
  time: AbortSignal
  /** Reports progress. */
  progress(line: string): void
}

export interface Stage {
  name: string
  /** Its share of the total time. */
  share: number
  /** Its end in a full campaign, in turns of `ms` if its share of half an hour is too short. */
  goal: { of: string; reach: number; ms?: number }
  run(turn: Turn): Promise<Figures>
}

const nothing = (): Figures => ({ counts: {}, lost: 0, doubled: 0, failures: [] })
const cyclesPerStore = 100
/**
 * The longest run of the simulator between two progress reports. Each run starts processes, whose first seeds are slow.
 */
const seedsMs = 120_000

export const stages: readonly Stage[] = [
  { name: 'kill cycles', share: 0.12, goal: { of: 'cycles', reach: 1_000 }, run: killCycles },
  { name: 'kill cycles on PostgreSQL', share: 0.08, goal: { of: 'cycles', reach: 1_000 }, run: killCyclesOnPostgres },
  { name: 'simulator seeds', share: 0.32, goal: { of: 'seeds', reach: 25_000 }, run: seeds },
  { name: 'hostile input', share: 0.03, goal: { of: 'requests', reach: 300_000 }, run: hostileInput },
  { name: 'fuzzing', share: 0.08, goal: { of: 'minutes', reach: 20 }, run: fuzzing },
  { name: 'chaos on three nodes', share: 0.08, goal: { of: 'disturbances', reach: 200 }, run: chaos },
  { name: 'soak', share: 0.06, goal: { of: 'minutes at most', reach: 60, ms: 3_600_000 }, run: soak },
  { name: 'power cuts', share: 0.23, goal: { of: 'cuts', reach: 600 }, run: powerCuts },
]

/**
 * Freezes and kills twice as many services as there are cores, because frozen ones and pauses take half of the time. A
 * new store now and then keeps them small.
 */
async function killCycles(turn: Turn): Promise<Figures> {
  const { figures, lane } = killLanes(turn)
  const cores = Array.from({ length: 2 * availableParallelism() }, (_, number) => lane(number, null))
  await Promise.all(cores)
  return figures
}

/** Two nodes on one PostgreSQL, with Redis. A second such installation works while the first one waits. */
async function killCyclesOnPostgres(turn: Turn): Promise<Figures> {
  const { figures, lane } = killLanes(turn)
  const ran = await Promise.all([0, 1].map((number) => onOwnEngines((engines) => lane(number, engines))))
  return ran.every(Boolean) ? figures : { ...figures, skipped: 'PostgreSQL or Redis cannot be started here' }
}

/** Runs on a PostgreSQL and a Redis of its own; false if they cannot be started here. */
async function onOwnEngines(run: (engines: NonNullable<CrashOptions['scaleOut']>) => Promise<void>): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-kills-'))
  const postgres = await startOwnPostgres()
  const redis = await startRedis(folder)
  try {
    if (!postgres || !redis) return false
    await run({ databaseUrl: postgres.url, redisUrl: redis.url })
    return true
  } finally {
    await redis?.stop()
    await postgres?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function killLanes({ seed, time, progress }: Turn) {
  const counts: Record<string, number> = {}
  const figures: Figures = { ...nothing(), counts }
  let done = 0
  const onCycle = () => {
    if (++done % 20 === 0) progress(`${done} cycles`)
  }
  const lane = async (number: number, scaleOut: CrashOptions['scaleOut']) => {
    const random = new Random(seed + number)
    const draw = () => random.next()
    // More callers would slow down starts, erasures and counting, and this stage is about crashes.
    const options = { program: serveDemo, signal: time, onCycle, draw, longFreezeEvery: 25, callers: 6 }
    do {
      const cycles = scaleOut ? Number.POSITIVE_INFINITY : cyclesPerStore
      addKills(figures, await runCrashes({ ...options, cycles, scaleOut: scaleOut ?? null }))
    } while (!time.aborted)
  }
  return { figures, lane }
}

function addKills(figures: Figures, { work, ...tally }: CrashTally): void {
  const { cycles, calls, cutOff, frozen, skewed, spent, alone, failures, paidFailures } = tally
  const { batches, rows, events, erasures, overLimit } = work
  const counted = {
    cycles,
    calls,
    'cut off': cutOff,
    frozen,
    'wrong clocks': skewed,
    'calls of a faulty module alone': alone.calls,
    '5xx': failures,
    'paid 5xx': paidFailures,
    batches,
    rows,
    events,
    erasures,
    'over a limit': overLimit,
  }
  for (const [name, count] of Object.entries(counted)) figures.counts[name] = (figures.counts[name] ?? 0) + count
  const paidAlone = alone.spent - (alone.calls - alone.failed)
  figures.lost += Math.max(0, calls - spent) + Math.max(0, -paidAlone) + work.lost
  figures.doubled += Math.max(0, spent - calls) + Math.max(0, paidAlone) + work.doubled
  if (paidFailures > 0) figures.failures.push(`${paidFailures} answers of 500 and above were paid for`)
  const differences = tally.ledger.differences.map((one) => JSON.stringify(one))
  figures.failures.push(...tally.wrong, ...work.wrong, ...differences, ...tally.audit)
  if (tally.held !== 0) figures.failures.push(`${tally.held} are held at rest`)
  if (tally.integrity !== 'ok') figures.failures.push(tally.integrity)
  if (overLimit > 0) figures.failures.push(`batches spent ${overLimit} credits more than they may`)
}

/** The simulator uses all cores itself. A seed in progress finishes. */
async function seeds({ seed, ms, time, progress }: Turn): Promise<Figures> {
  const failures: string[] = []
  const counts = { seeds: 0, calls: 0, deaths: 0 }
  const ends = performance.now() + ms
  let atOnce = 20
  for (let first = seed; !time.aborted;) {
    const began = performance.now()
    const options = ['--seeds', String(atOnce), '--seed', String(first), '--quick', '--json']
    const ran = await runJson<typeof counts>('service/test/simulation/main.ts', options)
    if (ran.figures) for (const name of ['seeds', 'calls', 'deaths'] as const) counts[name] += ran.figures[name]
    if (ran.code !== 0) failures.push(`seeds from ${first}: ${ran.said}`)
    progress(`${counts.seeds} seeds`)
    first += atOnce
    const now = performance.now()
    const nextMs = Math.min(seedsMs, Math.max(5_000, ends - now))
    atOnce = Math.min(10_000, Math.max(20, Math.round((atOnce * nextMs) / (now - began))))
  }
  return { ...nothing(), counts, failures }
}

/** Runs every kind of attack in parts, in random order, repeatedly. */
async function hostileInput({ seed, time, progress }: Turn): Promise<Figures> {
  const random = new Random(seed)
  const service = await startWatchedService({ LOG_LEVEL: 'info' })
  const counts = { requests: 0 }
  const failures: string[] = []
  try {
    const keys = { live: (await service.makeKey()).key, sample: (await service.makeKey({ mode: 'test' })).key }
    const known = [
      ...[...inParameters(keys, true), ...inHeaders(keys, true), ...inPaths(keys, service.token, true)],
      ...hugeAndPolluting(keys, service.token),
    ]
    do {
      const drawn = Array.from({ length: 800 }, () => random.pick(known))
      const attacks = [...drawn, ...randomBytes(keys, (limit) => random.below(limit), 200)]
      const { wrong } = await attackService(service, keys, attacks, { mayBeSilent: true })
      counts.requests += attacks.length
      failures.push(...wrong)
      progress(`${counts.requests} requests`)
    } while (!time.aborted)
    failures.push(...(await auditWords(join(service.folder, 'data/vitae.db'))))
    return { ...nothing(), counts, failures }
  } finally {
    await service.close()
  }
}

/**
 * Mutated inputs for the parsers that strangers reach. Runs in a child process, so that a hang is killed and counted.
 */
async function fuzzing({ seed, ms, progress }: Turn): Promise<Figures> {
  progress('under way')
  const began = performance.now()
  const options = ['--seconds', String(ms / 1_000), '--seed', String(seed)]
  const late = AbortSignal.timeout(Math.round(ms) + 120_000)
  const ran = await runJson<{ inputs: number; parts: number; failures: string[] }>(
    'service/test/fuzz/main.ts',
    options,
    late,
  )
  if (!ran.figures) return { ...nothing(), failures: [`it ended with ${ran.code}: ${ran.said.slice(-500)}`] }
  const { inputs, parts, failures } = ran.figures
  return { ...nothing(), counts: { minutes: minutesSince(began), inputs, 'parts at most': parts }, failures }
}

async function chaos({ seed, time, progress }: Turn): Promise<Figures> {
  const random = new Random(seed)
  let done = 0
  const tally = await runChaos({
    cycles: Number.POSITIVE_INFINITY,
    signal: time,
    draw: () => random.next(),
    onCycle: () => progress(`${++done} cycles`),
  })
  if (!tally) return { ...nothing(), skipped: 'PostgreSQL or Redis cannot be started here' }
  const { disturbances, answered, spent, failed } = tally
  return {
    counts: { disturbances, calls: answered, 'failed attempts': failed },
    lost: Math.max(0, answered - spent),
    doubled: Math.max(0, spent - answered),
    failures: [...tally.ledger.differences.map((one) => JSON.stringify(one)), ...tally.audit],
  }
}

async function soak({ ms, time, progress }: Turn): Promise<Figures> {
  progress('under way')
  const began = performance.now()
  const options = ['--minutes', String(ms / 60_000), '--clients', '8', '--json']
  const { figures, code, said } = await runJson<SoakFigures>('scripts/reliability/soak.ts', options, time)
  if (!figures) return { ...nothing(), failures: [`it ended with ${code}: ${said.slice(-500)}`] }
  return {
    // Two short ones are no long one.
    counts: { 'minutes at most': minutesSince(began), calls: figures.calls, 'MB at most': figures.memory.most },
    lost: Math.max(0, figures.charged - figures.spent),
    doubled: Math.max(0, figures.spent - figures.charged),
    failures: figures.failures,
  }
}

const minutesSince = (began: number) => Math.floor((performance.now() - began) / 6_000) / 10

interface SoakFigures {
  calls: number
  charged: number
  spent: number
  memory: { most: number }
  failures: string[]
}

async function powerCuts({ seed, time, progress }: Turn): Promise<Figures> {
  const skipped = LoopDisk.obstacle()
  if (skipped !== null) return { ...nothing(), skipped }
  const onCut = (_tally: unknown, done: number) => progress(`${done} cuts`)
  const tally = await runCuts({ cuts: Number.POSITIVE_INFINITY, seed, signal: time, onCut })
  const lost = tally.losses.length
  const failures = tally.losses.map(lossText)
  return { ...nothing(), counts: { cuts: countOf(tally), calls: tally.calls }, lost, failures }
}
