import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { aloneAndBeside } from './alone-and-beside.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
const connections = 24
/** More than the buffers between take at once. */
const uploadedRows = 100_000

interface Round {
  alone: OwnReport
  beside: OwnReport
  /** How many requests the other tenant made. */
  made: number
}

/** One tenant's hits at a steady pace, alone and beside what another one asks for without paying. */
export const freeRoutes: Scenario = {
  name: 'free-routes',
  title: `Free routes: one tenant asks for what costs nothing over ${connections} connections, the other calls at a steady pace`,
  run: (bench) =>
    withAll(async (start) => {
      const store = await bench.stores.embedded(records, { name: 'free-routes' })
      const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server }))
      const other = await createKey(vitae.url, { project: 'other', environment: 'production', mode: 'live' })
      return new FreeRoutes(bench, vitae, other).measure()
    }),
}

class FreeRoutes {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #otherKey: string
  readonly #checks: BillingCheck[] = []

  constructor(bench: Bench, vitae: Vitae, otherKey: string) {
    this.#bench = bench
    this.#vitae = vitae
    this.#otherKey = otherKey
  }

  async measure(): Promise<Findings> {
    await this.#hits('warm-up')
    const findings: Findings = { rows: [], ratios: [], verdicts: [], billing: [], notes: [], shown: 'p99 ms' }
    for (const [disturbance, ask] of Object.entries(this.#asks())) {
      this.#bench.say(`  ${disturbance}`)
      const rounds: Round[] = []
      for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round(ask))
      const named = { alone: `hits before ${disturbance}`, beside: `hits beside ${disturbance}`, disturbance }
      const { rows, ratios, verdicts } = aloneAndBeside(rounds, named)
      findings.rows.push(...rows)
      findings.ratios.push(...ratios)
      findings.verdicts.push(...verdicts)
      findings.notes.push(`${disturbance}: ${rounds.map(({ made }) => made).join(', ')} in a round.`)
    }
    return { ...findings, billing: mergeChecks(this.#checks) }
  }

  #asks(): Record<string, (agent: Agent) => Promise<void>> {
    const headers = { ApiKey: this.#otherKey }
    const csv = { ...headers, 'content-type': 'text/csv' }
    const body = `id\n${Array.from({ length: uploadedRows }, (_, row) => `somebody-${row}\n`).join('')}`
    const get = (path: string) => (agent: Agent) => this.#send({ agent, path, headers })
    return {
      'pre-flights': get('/v1/people/profile/preflight?profile_id=p0000001'),
      balances: get('/v1/account'),
      'cancelled uploads': (agent) =>
        this.#send({ agent, path: '/v1/batches?kind=people', method: 'POST', headers: csv }, body),
    }
  }

  /** A request that is answered, or one whose body is cut off after the given part of it. */
  #send(options: object, cutAfter?: string): Promise<void> {
    return new Promise((resolve) => {
      const asked = request(this.#vitae.url, options, (response) => void response.resume().once('close', resolve))
      // Where it is cut off, or refused before its body has ended.
      asked.once('error', () => resolve())
      if (cutAfter === undefined) asked.end()
      else asked.write(cutAfter, () => asked.destroy())
    })
  }

  async #round(ask: (agent: Agent) => Promise<void>): Promise<Round> {
    const alone = await this.#hits('hits alone')
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    let [made, isOver] = [0, false]
    const asking = async () => {
      for (; !isOver; made++) await ask(agent)
    }
    const all = Promise.all(Array.from({ length: connections }, asking))
    await pause(500)
    const beside = await this.#hits('hits beside')
    isOver = true
    await all
    agent.destroy()
    return { alone, beside, made }
  }

  /** Two connections with a short rest after each answer, so that the server has time for somebody else. */
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
