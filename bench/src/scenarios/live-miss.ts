import type { FakeProvider } from '../../../service/fake-provider/fake-provider.ts'
import type { Bench } from '../bench.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks, rowOf } from '../own-runs.ts'
import type { BillingCheck, Findings, Row, Verdict } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const latencyMs = 200
const promisedMs = 2
const measure = 'added p50 ms'

/** Records that nobody has asked for before: each is fetched, archived, stored and charged from a hold. */
export const liveMiss: Scenario = {
  name: 'live-miss',
  title: 'Live miss: a provider that takes 200 ms, distinct ids',
  async run(bench) {
    const provider = await startProvider(latencyMs)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(1, { name: 'live-miss' })
        const env = upstreamOf(provider)
        const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env }))
        return new Misses(bench, vitae, provider).measure()
      })
    } finally {
      await provider.close()
    }
  },
}

/** Rounds at one number of calls in flight. */
interface Level {
  inFlight: number
  direct: OwnReport[]
  through: OwnReport[]
  checks: BillingCheck[]
  /** Whether every answer took exactly one call of the provider. */
  oneCallEach: boolean
}

/** The same load at the provider itself and through Vitae, in turn: the difference is what Vitae adds. */
class Misses {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #provider: FakeProvider
  // No identifier is ever asked for twice, also not on a store that was kept.
  #fresh = 0

  constructor(bench: Bench, vitae: Vitae, provider: FakeProvider) {
    this.#bench = bench
    this.#vitae = vitae
    this.#provider = provider
  }

  async measure(): Promise<Findings> {
    const { quick } = this.#bench.options
    await this.#send(this.#vitae.url, this.#vitae.keys[0] ?? '', 100)
    const levels: Level[] = []
    for (const inFlight of quick ? [10, 100] : [1, 100, 250, 500, 1_000]) levels.push(await this.#level(inFlight))
    return {
      rows: levels.flatMap(rowsOf),
      ratios: [],
      billing: mergeChecks(levels.flatMap(({ checks }) => checks)),
      verdicts: levels.flatMap(verdictsOf),
      notes: [],
      shown: measure,
    }
  }

  async #level(inFlight: number): Promise<Level> {
    const level: Level = { inFlight, direct: [], through: [], checks: [], oneCallEach: true }
    const name = `vitae-live, ${inFlight} in flight`
    const { url, keys, account } = this.#vitae
    for (let round = 0; round < this.#bench.options.rounds; round++) {
      level.direct.push(await this.#send(this.#provider.url, this.#provider.key, inFlight))
      const before = this.#provider.requests.length
      const { report, check } = await billedRun(name, account, () => this.#send(url, keys[0] ?? '', inFlight))
      level.through.push(report)
      level.checks.push(check)
      if (this.#provider.requests.length - before !== check.answers) level.oneCallEach = false
    }
    this.#bench.say(`  ${inFlight} in flight: ${spread(added(level)).median.toFixed(1)} ms added at the median`)
    return level
  }

  #send(url: string, key: string, inFlight: number): Promise<OwnReport> {
    const perConnection = Math.max(2, Math.round((this.#bench.options.seconds * 1_000) / latencyMs / 2))
    const requests = inFlight * perConnection
    const first = this.#fresh
    this.#fresh += requests
    const path = `/v1/people/profile?profile_id=miss-${process.pid}-#`
    const headers = { ApiKey: key }
    return sendAll(this.#bench.cores.load, { url, path, headers, connections: inFlight, requests, first })
  }
}

function added({ direct, through }: Level): number[] {
  return through.map((report, round) => report.p50Ms - (direct[round]?.p50Ms ?? NaN))
}

function rowsOf(level: Level): Row[] {
  const ours = rowOf(`vitae-live, ${level.inFlight} in flight`, level.through)
  return [
    { ...ours, measures: { ...ours.measures, [measure]: spread(added(level)) } },
    rowOf(`provider alone, ${level.inFlight} in flight`, level.direct),
  ]
}

function verdictsOf(level: Level): Verdict[] {
  const { median } = spread(added(level))
  const { inFlight, oneCallEach } = level
  return [
    {
      claim: `added to the provider's latency at the median, ${inFlight} in flight`,
      wanted: `at most ${promisedMs} ms`,
      got: `${median.toFixed(1)} ms`,
      met: median <= promisedMs,
    },
    {
      claim: `one upstream call per answer, ${inFlight} in flight`,
      wanted: 'always',
      got: oneCallEach ? 'always' : 'not always',
      met: oneCallEach,
    },
  ]
}
