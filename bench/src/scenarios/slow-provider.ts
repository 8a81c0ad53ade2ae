import type { Bench } from '../bench.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendArrivals } from '../load/arrivals.ts'
import type { OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks, okOf } from '../own-runs.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { aloneAndBeside } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
const misses = 400
const hitsPerSecond = 200
const [alone, beside] = ['hits alone', 'hits beside the misses']

interface Round {
  alone: OwnReport
  beside: OwnReport
  misses: OwnReport
}

/**
 * One tenant's hits, alone and while another tenant's misses start within a second and wait for a slow provider. They
 * do not start all at once: a bare `node:http` has a p99 of 88 ms then, so that would measure Node and not Vitae.
 */
export const slowProvider: Scenario = {
  name: 'slow-provider',
  title: `A slow provider: ${misses} misses of one tenant begin within a second, the other's stored answers go on`,
  async run(bench) {
    const latencyMs = bench.options.quick ? 1_000 : 30_000
    const provider = await startProvider(latencyMs)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(records, { name: 'slow-provider' })
        const env = { ...upstreamOf(provider), VITAE_UPSTREAM_TIMEOUT_MS: String(2 * latencyMs) }
        const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env }))
        const other = { project: 'other', environment: 'production', mode: 'live' }
        const key = await createKey(vitae.url, other, misses * (bench.options.rounds + 1))
        return new Tenants(bench, vitae, key).measure()
      })
    } finally {
      await provider.close()
    }
  },
}

class Tenants {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #missKey: string
  readonly #checks: BillingCheck[] = []
  #fresh = 0
  #seed = 1

  constructor(bench: Bench, vitae: Vitae, missKey: string) {
    this.#bench = bench
    this.#vitae = vitae
    this.#missKey = missKey
  }

  async measure(): Promise<Findings> {
    // Not counted, because the first fetches of a process include compilation.
    await this.#round()
    const rounds: Round[] = []
    for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round())
    const answered = rounds.reduce((sum, round) => sum + okOf(round.misses), 0)
    return {
      ...aloneAndBeside(rounds, { alone, beside, disturbance: 'misses that begin within a second' }),
      billing: mergeChecks(this.#checks),
      notes: [`${answered} of ${misses * rounds.length} misses were answered.`],
      shown: 'p99 ms',
    }
  }

  async #round(): Promise<Round> {
    const quiet = await this.#hits(alone)
    const { cores } = this.#bench
    const path = '/v1/people/profile?profile_id=slow#'
    const headers = { ApiKey: this.#missKey }
    const arrivals = { perSecond: misses, requests: misses, first: this.#fresh, seed: this.#seed++ }
    const plan = { url: this.#vitae.url, path, headers, ...arrivals }
    this.#fresh += misses
    const missing = sendArrivals(cores.load, plan)
    const disturbed = await this.#hits(beside)
    return { alone: quiet, beside: disturbed, misses: await missing }
  }

  /** Requests the records in turn, at times that do not depend on the responses. */
  async #hits(name: string): Promise<OwnReport> {
    const { cores, options } = this.#bench
    const path = '/v1/people/profile?profile_id=p0000001'
    const headers = { ApiKey: this.#vitae.keys[0] ?? '' }
    const arrivals = {
      perSecond: hitsPerSecond,
      requests: options.seconds * hitsPerSecond,
      first: 0,
      seed: this.#seed++,
    }
    const plan = { url: this.#vitae.url, path, headers, ...arrivals }
    const { report, check } = await billedRun(name, this.#vitae.account, () => sendArrivals(cores.load, plan))
    this.#checks.push(check)
    return report
  }
}
