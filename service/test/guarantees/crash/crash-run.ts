import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FakeProvider } from '../../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import type { LedgerReport } from '../../../src/credits/store/verify-ledger.ts'
import type { DemoKeys } from '../../../src/app/demo.ts'
import { askAdmin } from '../../harness/ask-admin.ts'
import { busyMachine, ChildService, serveWith, type Program } from '../../harness/child-service.ts'
import { drawSkewMs, skewedEnv } from '../../harness/clock-skews.ts'
import { numberOf, soundProjection } from '../../providers/gate/faulty-provider.ts'
import { aloneEnvironment, countAtRest, environment, granted, holdSeconds, type Counted } from './count-at-rest.ts'
import { CrashLoad } from './crash-load.ts'
import { CrashWork, type WorkTally } from './crash-work.ts'

export interface CrashTally extends Omit<Counted, 'aloneSpent'> {
  cycles: number
  /** How often a node was frozen, and how often for longer than holds and leases last. */
  frozen: number
  frozenLong: number
  /** The number of starts with a wrong clock. */
  skewed: number
  /** Batches, webhooks and erasures that ran beside the calls. */
  work: WorkTally
  /** Distinct calls, each retried until it was answered. */
  calls: number
  /** Calls that a crash cut off, so that they were retried. */
  cutOff: number
  /** Calls whose only provider was the faulty one: the number without a record, and the cost of the others. */
  alone: { calls: number; failed: number; spent: number }
  /** Responses with status 500 and above. */
  failures: number
  /** Impossible ledger states right after a crash. */
  wrong: string[]
}

export interface CrashOptions {
  /** The program to kill. At the end the real service completes the rest. */
  program: Program
  cycles: number
  /** PostgreSQL with two nodes; without it one node on SQLite. */
  scaleOut?: { databaseUrl: string; redisUrl: string | undefined } | null
  /** The number of cycles between freezes that outlast holds and leases; never if absent. */
  longFreezeEvery?: number
  /** Ends the run before its last cycle. Finished work is counted. */
  signal?: AbortSignal
  onCycle?: () => void
  /** The number of concurrent callers (24). */
  callers?: number
  /** Draws the moments of the crashes: at least 0, below 1. */
  draw?: () => number
}

const token = 'a-token-for-crash-tests'
/** An external provider whose code is usually wrong. It is asked first, however often it fails. */
const faultyModule = {
  VITAE_PROVIDER_MODULES: join(import.meta.dirname, 'faulty-module.ts'),
  VITAE_FAULTY_KEY: 'k',
  VITAE_FAULTY_TIMEOUT_MS: '50',
  VITAE_COOLDOWN_SECONDS: '0',
}

/**
 * Serves under load, freezes a node, kills all at a random moment, repeatedly on one store. It reads the balances after
 * each crash, and finally counts.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashTally> {
  const run = new CrashRun(options)
  try {
    return await run.run()
  } finally {
    await run.close()
  }
}

const leaseMs = 10_000
/** Calls of dead nodes are refused soon, batches of many cycles stay open, and a long freeze ends a transaction. */
const fixed = { ...busyMachine, postgresPatience: 4, idempotencyWaitMs: 1_000, openBatches: 100_000 }
const served = serveWith(fixed)
export const servedDemo = serveWith(fixed, '--demo')
/**
 * Reading the whole ledger needs a separate process, which takes as long as a start. Balances are read after every
 * crash.
 */
const wholeEvery = 5
/** Waiting for an erasure under load takes as long as the rest of a cycle. */
const endsWorkEvery = 6

class CrashRun {
  readonly #options: CrashOptions
  readonly #draw: () => number
  readonly #folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'vitae-crash-')))
  readonly #load: CrashLoad
  readonly #alone: CrashLoad
  #aloneKey = ''
  readonly #work = new CrashWork(token)
  readonly #wrong: string[] = []
  readonly #frozen = { frozen: 0, frozenLong: 0 }
  #skewed = 0
  #upstream: FakeProvider | null = null

  constructor(options: CrashOptions) {
    this.#options = options
    this.#draw = options.draw ?? Math.random
    const callers = options.callers ?? 24
    this.#load = new CrashLoad(callers)
    this.#alone = new CrashLoad(Math.ceil(callers / 3), { mayFail: true })
    const slug = 'slug-of-template'
    const template = JSON.stringify(soundProjection(slug)).replaceAll(numberOf(slug), '777000')
    writeFileSync(this.#template, template)
  }

  async run(): Promise<CrashTally> {
    const upstream = (this.#upstream = await startFakeProvider({ provider: 'mirror' }))
    let cycles = 0
    for (; cycles < this.#options.cycles && !this.#options.signal?.aborted; cycles++) {
      await this.#crashOnce(upstream, cycles)
      this.#options.onCycle?.()
    }
    const last = this.#start(upstream, servedDemo, () => 0)
    try {
      const [url = ''] = await Promise.all(last.map((node) => node.url))
      await this.#readBooks(url, { isWhole: true })
      await this.#load.finish(url, this.#liveKey())
      await this.#alone.finish(url, this.#aloneKey)
      const work = cycles === 0 ? null : await this.#work.finish(url)
      await Promise.all(last.map((node) => node.stop('SIGTERM')))
      return await this.#count(cycles, work)
    } finally {
      await Promise.all(last.map((node) => node.stop('SIGKILL')))
    }
  }

  async close(): Promise<void> {
    await this.#work.close()
    await this.#upstream?.close()
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true })
  }

  get #template(): string {
    return join(this.#folders[0] ?? '', 'sound-projection.json')
  }

  /** One node, or two on PostgreSQL. */
  #start(upstream: FakeProvider, first: Program, skewOf: (index: number) => number): ChildService[] {
    const { scaleOut } = this.#options
    const redis = scaleOut?.redisUrl === undefined ? {} : { REDIS_URL: scaleOut.redisUrl }
    const env = {
      VITAE_ADMIN_TOKEN: token,
      VITAE_RATE_LIMIT: '1000000/60s',
      VITAE_NOT_FOUND_RATE: '1000000/60s',
      ...faultyModule,
      TEST_SOUND_PROJECTION: this.#template,
      VITAE_UPSTREAM: 'faulty,directory,mirror',
      VITAE_CHAIN_ON_NOT_FOUND: 'true',
      VITAE_MIRROR_URL: upstream.url,
      VITAE_MIRROR_KEY: upstream.key,
      VITAE_HOLD_SECONDS: String(holdSeconds),
      VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8',
      ...(scaleOut ? { DATABASE_URL: scaleOut.databaseUrl, ...redis } : {}),
    }
    const programs = scaleOut ? [first, served] : [first]
    return programs.map((program, index) => {
      // At this level it logs its URL.
      const more = { VITAE_DATA_DIR: this.#folders[index] ?? '', ...(program === served ? { LOG_LEVEL: 'info' } : {}) }
      return new ChildService(program, { ...env, ...more, ...skewedEnv(skewOf(index)) })
    })
  }

  /**
   * On PostgreSQL the first node has the right clock. A clock that is off by more than a hold lasts refuses paid calls.
   */
  #skewOf(index: number): number {
    const skewMs = this.#options.scaleOut && index === 0 ? 0 : drawSkewMs(this.#draw)
    if (skewMs !== 0) this.#skewed += 1
    return skewMs
  }

  async #crashOnce(upstream: FakeProvider, cycle: number): Promise<void> {
    const nodes = this.#start(upstream, this.#options.program, (index) => this.#skewOf(index))
    try {
      const urls = await Promise.all(nodes.map((node) => node.url))
      const [url = ''] = urls
      if (this.#load.calls > 0) await this.#readBooks(url, { isWhole: cycle % wholeEvery === 0 })
      else {
        await grant(url)
        await this.#work.prepare(url)
        this.#aloneKey = await keyOfFaulty(url)
      }
      const ended = new AbortController()
      const running = Promise.all([
        this.#load.run(urls, this.#liveKey(), ended.signal),
        this.#alone.run(urls, this.#aloneKey, ended.signal),
      ])
      const working = this.#work.run(urls)
      await Promise.race([this.#load.answered(), running])
      // Random moments, without waiting for anything; now and then late enough for an erasure to end.
      const ends = [working, this.#alone.answered()]
      if (cycle % endsWorkEvery === 0) await Promise.race([Promise.all(ends), pause(150_000)])
      await pause(20 + this.#draw() * 300)
      await this.#freeze(nodes, cycle)
      ended.abort()
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
      await Promise.all([running, working])
    } finally {
      // Even after another failure, no service may outlive its test.
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    }
  }

  /** In every second cycle one node freezes for a while, and then continues its work. */
  async #freeze(nodes: readonly ChildService[], cycle: number): Promise<void> {
    const every = this.#options.longFreezeEvery ?? Number.POSITIVE_INFINITY
    const isLong = cycle % every === every - 1
    const node = nodes[Math.floor(this.#draw() * nodes.length)]
    if (!node || (!isLong && cycle % 2 === 0)) return
    const longMs = nodes.length > 1 ? leaseMs + 1_500 : 2_500 * holdSeconds
    node.process.kill('SIGSTOP')
    await pause(isLong ? longMs : this.#draw() * 500)
    node.process.kill('SIGCONT')
    await pause(this.#draw() * 300)
    this.#frozen.frozen += 1
    if (isLong) this.#frozen.frozenLong += 1
  }

  /** Answered calls are paid, interrupted ones at most once, and, if it is read in full, the ledger adds up. */
  async #readBooks(url: string, { isWhole }: { isWhole: boolean }): Promise<void> {
    if (this.#load.calls === 0) return
    const service = { url, token }
    for (const [load, place] of [
      [this.#load, environment],
      [this.#alone, aloneEnvironment],
    ] as const) {
      const path = `/credits/balance?${new URLSearchParams(place).toString()}`
      const { balance } = await askPatiently<{ balance: number }>(service, path)
      const [spent, most] = [granted - balance, load.calls - load.failed]
      if (spent < most - load.unanswered || spent > most)
        this.#wrong.push(`${spent} are paid after ${most} calls, of which ${load.unanswered} have no answer`)
    }
    if (isWhole) {
      const ledger = await askPatiently<LedgerReport>(service, '/ledger/verify')
      this.#wrong.push(...ledger.differences.map((one) => JSON.stringify(one)))
    }
    await this.#work.readBooks(url)
  }

  async #count(cycles: number, work: WorkTally | null): Promise<CrashTally> {
    const { calls, cutOff, wrong } = this.#load
    const failures = [...this.#load.failures, ...this.#alone.failures]
    const { aloneSpent, ...counted } = await countAtRest(
      this.#folders[0] ?? '',
      this.#options.scaleOut?.databaseUrl ?? null,
      failures,
    )
    const none = { batches: 0, rows: 0, events: 0, erasures: 0, lost: 0, doubled: 0, overLimit: 0, wrong: [] }
    const skewed = this.#skewed
    return {
      ...counted,
      ...this.#frozen,
      skewed,
      cycles,
      calls,
      cutOff,
      alone: { calls: this.#alone.calls, failed: this.#alone.failed, spent: aloneSpent },
      failures: failures.length,
      wrong: [...this.#wrong, ...wrong, ...this.#alone.wrong],
      work: work ?? none,
    }
  }

  #liveKey(): string {
    const keys = JSON.parse(readFileSync(join(this.#folders[0] ?? '', 'demo-keys.json'), 'utf8')) as DemoKeys
    return keys.live_key
  }
}

/** Retries a store that is too busy to answer, as a 503 asks. */
async function askPatiently<T>(service: { url: string; token: string }, path: string): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askAdmin<T>(service, 'GET', path)
    } catch (error) {
      if (attempt === 10 || !(error instanceof Error && error.message.includes(': 503 '))) throw error
      await pause(1_000)
    }
  }
}

/** The demo already has 1,000. */
async function grant(url: string): Promise<void> {
  await askAdmin({ url, token }, 'POST', '/credits/grants', { ...environment, amount: granted - 1_000 })
}

/** A key whose calls only the faulty provider may answer. */
async function keyOfFaulty(url: string): Promise<string> {
  const service = { url, token }
  const { key } = await askAdmin<{ key: string }>(service, 'POST', '/keys', { ...aloneEnvironment, mode: 'live' })
  await askAdmin(service, 'POST', '/credits/grants', { ...aloneEnvironment, amount: granted })
  const route = { environment: aloneEnvironment.environment, providers: ['faulty'] }
  await askAdmin(service, 'POST', `/projects/${aloneEnvironment.project}/route`, route)
  return key
}
