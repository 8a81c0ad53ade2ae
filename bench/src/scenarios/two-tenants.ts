import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import type { LoadReport } from '../load/load.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import { cpuSeconds } from '../process/process-cost.ts'
import type { BillingCheck, Findings, Row } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import { aloneAndBeside } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
const floodConnections = 20
const [alone, beside] = ['hits alone', 'hits beside the flood']

interface Round {
  alone: OwnReport
  beside: OwnReport
  flood: LoadReport
  /** The share of a core that the server used for both tenants. */
  cpuShare: number | null
}

/** One tenant's hits at a steady pace, alone and during another tenant's flood of calls over its rate limit. */
export const twoTenants: Scenario = {
  name: 'two-tenants',
  title: `Two tenants: one floods over ${floodConnections} connections and is refused, the other calls at a steady pace`,
  run: (bench) =>
    withAll(async (start) => {
      const store = await bench.stores.embedded(records, { name: 'two-tenants' })
      const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server }))
      const flooder = { project: 'flood', environment: 'production', mode: 'live', rate: '1/3600s' }
      return new Tenants(bench, vitae, await createKey(vitae.url, flooder)).measure()
    }),
}

class Tenants {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #floodKey: string
  readonly #checks: BillingCheck[] = []

  constructor(bench: Bench, vitae: Vitae, floodKey: string) {
    this.#bench = bench
    this.#vitae = vitae
    this.#floodKey = floodKey
  }

  async measure(): Promise<Findings> {
    await this.#hits('warm-up')
    const rounds: Round[] = []
    for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round())
    const { rows, ...judged } = aloneAndBeside(rounds, { alone, beside, disturbance: 'a flood of refusals' })
    return {
      ...judged,
      rows: [...rows, floodRow(rounds)],
      billing: mergeChecks(this.#checks),
      notes: [],
      shown: 'p99 ms',
    }
  }

  async #round(): Promise<Round> {
    const { load, options } = this.#bench
    const quiet = await this.#hits(alone)
    const { url, pids } = this.#vitae
    const seconds = options.seconds + 2
    const before = cpuSeconds(pids)
    const since = performance.now()
    const flooding = load.run({ url, keys: [this.#floodKey], ids: records, connections: floodConnections, seconds })
    await pause(500)
    const disturbed = await this.#hits(beside)
    const flood = await flooding
    const after = cpuSeconds(pids)
    const cpuShare = before === null || after === null ? null : ((after - before) * 1_000) / (performance.now() - since)
    return { alone: quiet, beside: disturbed, flood, cpuShare }
  }

  /** Two connections with a short pause after each response, so that the server has time for the other tenant. */
  async #hits(name: string): Promise<OwnReport> {
    const { cores, options } = this.#bench
    const path = '/v1/people/profile?profile_id=p0000001'
    const headers = { ApiKey: this.#vitae.keys[0] ?? '' }
    const plan = { url: this.#vitae.url, path, headers, connections: 2, requests: options.seconds * 300, restMs: 3 }
    const { report, check } = await billedRun(name, this.#vitae.account, () => sendAll(cores.load, plan))
    if (name !== 'warm-up') this.#checks.push(check)
    return report
  }
}

function floodRow(rounds: readonly Round[]): Row {
  const shares = rounds.map(({ cpuShare }) => cpuShare).filter((share) => share !== null)
  const refusals = rounds.map(({ flood }) => flood.notOk / (flood.ok + flood.notOk))
  return {
    name: 'flood',
    measures: {
      'p50 ms': spread(rounds.map(({ flood }) => flood.p50Ms)),
      'p99 ms': spread(rounds.map(({ flood }) => flood.p99Ms)),
      'refused %': spread(refusals.map((share) => share * 100)),
      ...(shares.length === 0 ? {} : { 'CPU % of a core, both': spread(shares.map((share) => share * 100)) }),
    },
  }
}
