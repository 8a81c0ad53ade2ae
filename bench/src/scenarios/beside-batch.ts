import type { Bench } from '../bench.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendArrivals } from '../load/arrivals.ts'
import type { OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { aloneAndBeside } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
const rows = 100_000
const providerMs = 100
const hitsPerSecond = 200
const alone = 'hits alone'
const besides = { other: 'hits beside the batch of another key', own: 'hits beside the batch of their own key' }

interface Round {
  alone: OwnReport
  other: OwnReport
  own: OwnReport
  /** Batch rows that were answered during the round. */
  answered: number
}

/** Hits of two keys while the batch of one of them fetches unknown records one by one. */
export const besideBatch: Scenario = {
  name: 'beside-batch',
  title: `Beside a batch: ${rows} misses in the background, stored answers of the same key and of another one go on`,
  async run(bench) {
    const provider = await startProvider(providerMs)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(records, { name: 'beside-batch' })
        const vitae = await start(
          startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env: upstreamOf(provider) }),
        )
        const batching = { project: 'batching', environment: 'production', mode: 'live' }
        return new Keys(bench, vitae, await createKey(vitae.url, batching, 100_000_000)).measure()
      })
    } finally {
      await provider.close()
    }
  },
}

class Keys {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #batchKey: string
  readonly #checks: BillingCheck[] = []
  #batches = 0
  #seed = 1

  constructor(bench: Bench, vitae: Vitae, batchKey: string) {
    this.#bench = bench
    this.#vitae = vitae
    this.#batchKey = batchKey
  }

  async measure(): Promise<Findings> {
    const key = this.#vitae.keys[0] ?? ''
    // Not counted, because the first fetches of a process include compilation.
    await this.#round(key)
    const rounds: Round[] = []
    for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round(key))
    const answered = rounds.reduce((sum, round) => sum + round.answered, 0)
    const [other, own] = (['other', 'own'] as const).map((who) =>
      aloneAndBeside(
        rounds.map((round) => ({ alone: round.alone, beside: round[who] })),
        { alone, beside: besides[who], disturbance: who === 'own' ? 'the own batch' : "another key's batch" },
      ),
    )
    return {
      rows: [...(other?.rows ?? []), ...(own?.rows.slice(1) ?? [])],
      ratios: [...(other?.ratios ?? []), ...(own?.ratios ?? [])],
      verdicts: [...(other?.verdicts ?? []), ...(own?.verdicts ?? [])],
      billing: mergeChecks(this.#checks),
      notes: [`${answered} rows of batches were answered meanwhile, by a provider that takes ${providerMs} ms.`],
      shown: 'p99 ms',
    }
  }

  async #round(key: string): Promise<Round> {
    const quiet = await this.#billedHits(alone, key)
    const id = await this.#submit()
    const other = await this.#billedHits(besides.other, key)
    const own = await this.#hits(this.#batchKey)
    const { counts } = await this.#ask(`/v1/batches/${id}/cancel`, 'POST')
    return { alone: quiet, other, own, answered: counts?.found ?? 0 }
  }

  async #submit(): Promise<string> {
    const batch = this.#batches++
    const ids = Array.from({ length: rows }, (_, index) => `batch-${batch}-${index}`)
    const { id, code } = await this.#ask('/v1/batches', 'POST', JSON.stringify({ kind: 'people', ids }))
    if (!id) throw new Error(`no batch was made: ${code}`)
    return id
  }

  async #ask(path: string, method: string, body?: string) {
    const headers = { ApiKey: this.#batchKey, ...(body ? { 'content-type': 'application/json' } : {}) }
    const response = await fetch(`${this.#vitae.url}${path}`, { method, headers, ...(body ? { body } : {}) })
    return (await response.json()) as { id?: string; code?: string; counts?: { found: number } }
  }

  async #billedHits(name: string, key: string): Promise<OwnReport> {
    const { report, check } = await billedRun(name, this.#vitae.account, () => this.#hits(key))
    this.#checks.push(check)
    return report
  }

  /** Requests one record, at times that do not depend on the responses. */
  #hits(key: string): Promise<OwnReport> {
    const { cores, options } = this.#bench
    return sendArrivals(cores.load, {
      url: this.#vitae.url,
      path: '/v1/people/profile?profile_id=p0000001',
      headers: { ApiKey: key },
      perSecond: hitsPerSecond,
      requests: options.seconds * hitsPerSecond,
      first: 0,
      seed: this.#seed++,
    })
  }
}
