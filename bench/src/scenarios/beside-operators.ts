import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { adminToken, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendArrivals } from '../load/arrivals.ts'
import type { OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import { cpuSeconds } from '../process/process-cost.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { benchSlug } from '../stores/bench-slug.ts'
import { aloneAndBeside, chosenOf } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const hitsPerSecond = 200
const alone = 'hits alone'

interface Round {
  alone: OwnReport
  beside: OwnReport
  /** The duration of each operator request. */
  tookMs: number[]
  /** The CPU time of all of them together, without that of the hits beside them. */
  cpuMs: number
}

/** Hits at a steady pace while an operator or a reader of the feed makes requests one after another. */
export const besideOperators: Scenario = {
  name: 'beside-operators',
  title:
    'Beside operators: stored answers go on beside reports, checks, exports, erasures and backups of a large store',
  async run(bench) {
    const { contestants } = bench.options
    const all: Findings[] = []
    for (const name of contestants.length === 0 ? ['vitae-live'] : contestants) all.push(await measureOne(bench, name))
    const joined = <Item>(of: (findings: Findings) => Item[]) => all.flatMap(of)
    return {
      rows: joined(({ rows }) => rows),
      ratios: joined(({ ratios }) => ratios),
      verdicts: joined(({ verdicts }) => verdicts),
      billing: joined(({ billing }) => billing),
      notes: joined(({ notes }) => notes),
      shown: 'p99 ms',
    }
  },
}

function measureOne(bench: Bench, name: string): Promise<Findings> {
  return withAll(async (start) => {
    const { rows } = bench.options
    const cores = bench.cores.server
    if (name === 'vitae-live') {
      const vitae = await start(startVitae({ name, store: await bench.stores.filled(rows), cores }))
      return new Operators(bench, vitae, true).measure()
    }
    const filled = await bench.stores.filledScaleOut(rows, bench.engines)
    if (!filled) return { rows: [], ratios: [], verdicts: [], billing: [], notes: [], shown: 'p99 ms' }
    const { vitaeUrl, redisUrl, pid } = filled.engines
    const env = { DATABASE_URL: vitaeUrl, REDIS_URL: redisUrl }
    const vitae = await start(startVitae({ name, store: filled.store, cores, env, pids: [pid] }))
    return new Operators(bench, vitae, false).measure()
  })
}

class Operators {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #isEmbedded: boolean
  readonly #checks: BillingCheck[] = []
  #seed = 1
  /** A kept store has lost the subjects of earlier runs. */
  #erased = 10 + Math.floor(Math.random() * 10_000)

  constructor(bench: Bench, vitae: Vitae, isEmbedded: boolean) {
    this.#bench = bench
    this.#vitae = vitae
    this.#isEmbedded = isEmbedded
  }

  async measure(): Promise<Findings> {
    await this.#hits('warm-up')
    const findings: Findings = { rows: [], ratios: [], verdicts: [], billing: [], notes: [], shown: 'p99 ms' }
    for (const [disturbance, work] of chosenOf(this.#bench.options.besides, this.#works())) {
      this.#bench.say(`  ${this.#vitae.name}: ${disturbance}`)
      // The first request starts a process, or compiles what the others use.
      await work()
      const rounds: Round[] = []
      for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round(disturbance, work))
      const beside = `${this.#vitae.name}, beside ${disturbance}`
      const named = { alone: `${this.#vitae.name}, before ${disturbance}`, beside, disturbance }
      const { rows, ratios, verdicts } = aloneAndBeside(rounds, named)
      findings.rows.push(...rows)
      findings.ratios.push(...ratios)
      findings.verdicts.push(...verdicts)
      const tookMs = rounds.flatMap((round) => round.tookMs)
      const mean = (values: number[]) => Math.round(values.reduce((sum, ms) => sum + ms, 0) / tookMs.length)
      const each = `${mean(tookMs)} ms and ${mean(rounds.map(({ cpuMs }) => cpuMs))} ms of CPU each`
      findings.notes.push(`${this.#vitae.name}, ${disturbance}: ${tookMs.length} times, ${each}.`)
    }
    return { ...findings, billing: mergeChecks(this.#checks) }
  }

  #works(): Record<string, () => Promise<unknown>> {
    const [since, month] = [90, 30].map((days) => new Date(Date.now() - days * 86_400_000).toISOString())
    const backup = { path: join(this.#bench.folder, 'backup.db'), overwrite: true }
    const admin = (path: string) => () => this.#ask('GET', `/admin/v1${path}`)
    const erase = (now: boolean) => () => {
      const ref = benchSlug((this.#erased += 1))
      return this.#ask('POST', `/admin/v1/records/people/${ref}/erase`, { reason: 'bench', now })
    }
    return {
      'usage by key over 90 days': admin(`/usage?group=key&since=${since}`),
      overview: admin('/overview?range=month'),
      savings: admin(`/usage/savings?since=${since}`),
      'ledger verify': admin('/ledger/verify'),
      'feed from 0': () => this.#ask('GET', '/v1/events?after=0&limit=500'),
      scorecard: admin(`/providers/scorecard?since=${month}`),
      'export of a subject': admin(`/records/people/${benchSlug(2)}/export`),
      erasure: erase(false),
      ...(this.#isEmbedded
        ? { backup: () => this.#ask('POST', '/admin/v1/backups', backup) }
        : { 'erasure with its rewrite': erase(true) }),
    }
  }

  /** The operator sends the next request after each response. The last one is awaited after the hits have ended. */
  async #round(disturbance: string, work: () => Promise<unknown>): Promise<Round> {
    const cpuMs = () => (cpuSeconds(this.#vitae.pids) ?? NaN) * 1_000
    const startedMs = cpuMs()
    const quiet = await this.#hits(alone)
    const quietMs = cpuMs()
    const tookMs: number[] = []
    let isOver = false
    const working = (async () => {
      while (!isOver) {
        const began = performance.now()
        await work()
        tookMs.push(performance.now() - began)
      }
    })()
    // A failing request ends the run, but only after the hits have ended.
    working.catch(() => undefined)
    const beside = await this.#hits(`hits beside ${disturbance}`)
    isOver = true
    await working
    return { alone: quiet, beside, tookMs, cpuMs: cpuMs() - quietMs - (quietMs - startedMs) }
  }

  async #ask(method: string, path: string, body?: object): Promise<void> {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const response = await fetch(`${this.#vitae.url}${path}`, {
      method,
      headers: path.startsWith('/admin') ? headers : { ApiKey: this.#vitae.keys[0] ?? '' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(20 * 60_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  }

  async #hits(name: string): Promise<OwnReport> {
    const { cores, options } = this.#bench
    const plan = {
      url: this.#vitae.url,
      path: '/v1/people/profile?profile_id=p0000001',
      headers: { ApiKey: this.#vitae.keys[0] ?? '' },
      perSecond: hitsPerSecond,
      requests: options.seconds * hitsPerSecond,
      first: 0,
      seed: this.#seed++,
    }
    const { report, check } = await billedRun(name, this.#vitae.account, () => sendArrivals(cores.load, plan))
    this.#checks.push(check)
    return report
  }
}
