import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendArrivals } from '../load/arrivals.ts'
import type { OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import { cpuSeconds } from '../process/process-cost.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { benchSlug } from '../stores/bench-slug.ts'
import { aloneAndBeside, chosenOf } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 20_000
const providerMs = 100
const [hitsPerSecond, missesPerSecond] = [200, 100]

interface Round {
  alone: OwnReport
  beside: OwnReport
  /** The misses or rows that were answered. */
  made: number
  /** CPU seconds of the server beside and alone. */
  cpu: [beside: number, alone: number]
}

/** Ends the other tenant's work and returns how much of it was answered. */
type Begin = () => Promise<() => Promise<number>>

/** One tenant's hits, alone and beside another one's misses and batches of stored records. */
export const besideWork: Scenario = {
  name: 'beside-work',
  title: `Beside work: one tenant's stored answers beside ${missesPerSecond} misses a second of another one, and beside its batch of stored records`,
  async run(bench) {
    const provider = await startProvider(providerMs)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(records, { name: 'beside-work' })
        const cores = bench.cores.server
        const vitae = await start(startVitae({ name: 'vitae-live', store, cores, env: upstreamOf(provider) }))
        const other = { project: 'working', environment: 'production', mode: 'live' }
        return new Work(bench, vitae, await createKey(vitae.url, other, 100_000_000)).measure()
      })
    } finally {
      await provider.close()
    }
  },
}

class Work {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #otherKey: string
  readonly #checks: BillingCheck[] = []
  #seed = 1

  constructor(bench: Bench, vitae: Vitae, otherKey: string) {
    this.#bench = bench
    this.#vitae = vitae
    this.#otherKey = otherKey
  }

  async measure(): Promise<Findings> {
    const findings: Findings = { rows: [], ratios: [], verdicts: [], billing: [], notes: [], shown: 'p99 ms' }
    const all = { misses: () => this.#misses(), 'stored rows': () => this.#rows() }
    for (const [disturbance, begin] of chosenOf<Begin>(this.#bench.options.besides, all)) {
      // Not counted, because the first calls of a process include compilation.
      await this.#round(disturbance, begin)
      const rounds: Round[] = []
      for (let round = 0; round < this.#bench.options.rounds; round++)
        rounds.push(await this.#round(disturbance, begin))
      const named = { alone: `hits before ${disturbance}`, beside: `hits beside ${disturbance}`, disturbance }
      const { rows, ratios, verdicts } = aloneAndBeside(rounds, named)
      findings.rows.push(...rows)
      findings.ratios.push(...ratios)
      findings.verdicts.push(...verdicts)
      const made = rounds.reduce((sum, round) => sum + round.made, 0)
      const seconds = rounds.reduce((sum, { beside }) => sum + beside.seconds, 0)
      const cpu = rounds.reduce((sum, round) => sum + round.cpu[0] - round.cpu[1], 0)
      const each = `${(made / seconds).toFixed(0)} a second, ${((cpu * 1e6) / made).toFixed(0)} µs of CPU each`
      findings.notes.push(`${disturbance}: ${each}, besides the hits.`)
    }
    return { ...findings, billing: mergeChecks(this.#checks) }
  }

  async #round(disturbance: string, begin: Begin): Promise<Round> {
    const cpuOf = () => cpuSeconds(this.#vitae.pids) ?? NaN
    const first = cpuOf()
    const alone = await this.#hits(`hits before ${disturbance}`)
    const second = cpuOf()
    const end = await begin()
    const third = cpuOf()
    const beside = await this.#hits(`hits beside ${disturbance}`)
    const cpu: Round['cpu'] = [cpuOf() - third, second - first]
    return { alone, beside, cpu, made: await end() }
  }

  async #misses(): Promise<() => Promise<number>> {
    const requests = this.#bench.options.seconds * missesPerSecond
    const path = `/v1/people/profile?profile_id=miss-${process.pid}-${this.#seed}-#`
    const sent = this.#send(this.#otherKey, path, missesPerSecond, requests)
    return () => sent.then(() => requests)
  }

  async #rows(): Promise<() => Promise<number>> {
    const ids = Array.from({ length: records }, (_, index) => benchSlug(index))
    const { id } = await this.#ask('', JSON.stringify({ kind: 'people', ids }))
    const found = async () => (await this.#ask(`/${id}`)).counts?.found ?? 0
    const before = await found()
    return async () => {
      const made = (await found()) - before
      await this.#ask(`/${id}/cancel`, '{}')
      await pause(200)
      return made
    }
  }

  async #ask(path: string, body?: string): Promise<{ id?: string; counts?: { found: number } }> {
    const headers = { ApiKey: this.#otherKey, ...(body ? { 'content-type': 'application/json' } : {}) }
    const sent = body ? { method: 'POST', body } : {}
    const response = await fetch(`${this.#vitae.url}/v1/batches${path}`, { headers, ...sent })
    return (await response.json()) as { id?: string; counts?: { found: number } }
  }

  async #hits(name: string): Promise<OwnReport> {
    const requests = this.#bench.options.seconds * hitsPerSecond
    const hits = () =>
      this.#send(this.#vitae.keys[0] ?? '', `/v1/people/profile?profile_id=${benchSlug(1)}`, hitsPerSecond, requests)
    const { report, check } = await billedRun(name, this.#vitae.account, hits)
    this.#checks.push(check)
    return report
  }

  #send(key: string, path: string, perSecond: number, requests: number): Promise<OwnReport> {
    const plan = { url: this.#vitae.url, path, headers: { ApiKey: key }, perSecond, requests, first: 0 }
    return sendArrivals(this.#bench.cores.load, { ...plan, seed: this.#seed++ })
  }
}
