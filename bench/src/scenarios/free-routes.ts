import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { createKey, startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { aloneAndBeside, chosenOf } from './alone-and-beside.ts'
import { account } from '../stores/made-store.ts'
import type { Scenario } from './scenario.ts'
import { WebhookBacklog } from './webhook-backlog.ts'
import { withAll } from './with-all.ts'

const records = 100
const connections = 24
/** More than the buffers between client and server hold. */
const uploadedRows = 100_000

interface Round {
  alone: OwnReport
  beside: OwnReport
  /** The number of requests of the other tenant. */
  made: number
}

/** Ends a disturbance and returns its number of requests. */
type End = () => Promise<number>
type Begin = () => Promise<End>

/** One tenant's hits at a steady pace, alone and during another tenant's free requests. */
export const freeRoutes: Scenario = {
  name: 'free-routes',
  title: `Free routes: one tenant asks for what costs nothing over ${connections} connections, the other calls at a steady pace`,
  run: (bench) =>
    withAll(async (start) => {
      const store = await bench.stores.embedded(records, { name: 'free-routes', hasEvents: true })
      const env = { VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8' }
      const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env }))
      const other = { project: account.project, environment: 'environment-2' }
      const backlog = new WebhookBacklog(vitae)
      await backlog.open(store, other)
      try {
        return await new FreeRoutes(
          bench,
          vitae,
          await createKey(vitae.url, { ...other, mode: 'live' }),
          backlog,
        ).measure()
      } finally {
        backlog.close()
      }
    }),
}

class FreeRoutes {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #otherKey: string
  readonly #backlog: WebhookBacklog
  readonly #checks: BillingCheck[] = []

  constructor(bench: Bench, vitae: Vitae, otherKey: string, backlog: WebhookBacklog) {
    this.#bench = bench
    this.#vitae = vitae
    this.#otherKey = otherKey
    this.#backlog = backlog
  }

  async measure(): Promise<Findings> {
    await this.#hits('warm-up')
    const findings: Findings = { rows: [], ratios: [], verdicts: [], billing: [], notes: [], shown: 'p99 ms' }
    for (const [disturbance, begin] of chosenOf(this.#bench.options.besides, this.#disturbances())) {
      this.#bench.say(`  ${disturbance}`)
      const rounds: Round[] = []
      for (let round = 0; round < this.#bench.options.rounds; round++) rounds.push(await this.#round(begin))
      const named = { alone: `hits before ${disturbance}`, beside: `hits beside ${disturbance}`, disturbance }
      const { rows, ratios, verdicts } = aloneAndBeside(rounds, named)
      findings.rows.push(...rows)
      findings.ratios.push(...ratios)
      findings.verdicts.push(...verdicts)
      findings.notes.push(`${disturbance}: ${rounds.map(({ made }) => made).join(', ')} in a round.`)
    }
    return { ...findings, billing: mergeChecks(this.#checks) }
  }

  #disturbances(): Record<string, Begin> {
    const headers = { ApiKey: this.#otherKey }
    const csv = { ...headers, 'content-type': 'text/csv' }
    const body = `id\n${Array.from({ length: uploadedRows }, (_, row) => `somebody-${row}\n`).join('')}`
    const get = (path: string) => asAgain((agent) => this.#send({ agent, path, headers }))
    const upload = { path: '/v1/batches?kind=people', method: 'POST', headers: csv }
    return {
      'pre-flights': get('/v1/people/profile/preflight?profile_id=p0000001'),
      balances: get('/v1/account'),
      'cancelled uploads': asAgain((agent) => this.#send({ agent, ...upload }, body)),
      'a backlog of webhooks': () => this.#deliver(),
    }
  }

  async #deliver(): Promise<End> {
    const before = this.#backlog.delivered
    await this.#backlog.send(true)
    return async () => {
      await this.#backlog.send(false)
      return this.#backlog.delivered - before
    }
  }

  /** Sends a request, or cuts it off after the given part of its body. */
  #send(options: object, cutAfter?: string): Promise<void> {
    return new Promise((resolve) => {
      const asked = request(this.#vitae.url, options, (response) => void response.resume().once('close', resolve))
      // Resolves for a request that was cut off, or refused before the end of its body.
      asked.once('error', () => resolve())
      if (cutAfter === undefined) asked.end()
      else asked.write(cutAfter, () => asked.destroy())
    })
  }

  async #round(begin: Begin): Promise<Round> {
    const alone = await this.#hits('hits alone')
    const end = await begin()
    await pause(500)
    const beside = await this.#hits('hits beside')
    return { alone, beside, made: await end() }
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

/** Repeats a request over all connections. */
function asAgain(ask: (agent: Agent) => Promise<void>): Begin {
  return async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    let [made, isOver] = [0, false]
    const asking = async () => {
      for (; !isOver; made++) await ask(agent)
    }
    const all = Promise.all(Array.from({ length: connections }, asking))
    return async () => {
      isOver = true
      // Waiting for running requests would take long, because uploads are read at a limited rate.
      agent.destroy()
      await all
      return made
    }
  }
}
