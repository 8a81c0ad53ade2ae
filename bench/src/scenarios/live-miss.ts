import type { FakeProvider } from '../../../service/fake-provider/fake-provider.ts'
import type { Bench } from '../bench.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { startProxy } from '../contestants/proxy.ts'
import { startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendArrivals } from '../load/arrivals.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks, okOf, rowOf } from '../own-runs.ts'
import { cpuSeconds } from '../process/process-cost.ts'
import type { BillingCheck, Findings, Ratio, Row, Verdict } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import { atMost, type Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const latencyMs = 100
const added = 'added p50 ms'
const cpu = 'CPU µs per miss'

/** Records that were never requested before: each is fetched, archived, stored and charged from a hold. */
export const liveMiss: Scenario = {
  name: 'live-miss',
  title: `Live miss: distinct ids that arrive independently, a provider that takes ${latencyMs} ms`,
  async run(bench) {
    const provider = await startProvider(latencyMs)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(1, { name: 'live-miss' })
        const cores = bench.cores.server
        const vitae = await start(startVitae({ name: 'vitae-live', store, cores, env: upstreamOf(provider) }))
        const proxy = await start(startProxy({ cores, provider }))
        return new Misses(bench, vitae, proxy, provider).measure()
      })
    } finally {
      await provider.close()
    }
  },
}

/** The arrival rate of misses; null: one after another. */
interface Level {
  name: string
  perSecond: number | null
  addedAtMostMs: number | null
  cpuAtMost: number | null
}

interface Sent {
  report: OwnReport
  cpuMicros: number
}

/** The rounds of one level, for each target. */
interface Rounds {
  level: Level
  direct: Sent[]
  proxy: Sent[]
  vitae: Sent[]
  checks: BillingCheck[]
}

/**
 * The same arrivals at the provider itself, through a bare proxy and through Vitae. The difference is the cost that
 * Vitae adds.
 */
class Misses {
  readonly #bench: Bench
  readonly #vitae: Vitae
  readonly #proxy: Contestant
  readonly #provider: FakeProvider
  // No identifier is ever requested twice, not even on a store kept from an earlier run.
  #fresh = 0

  constructor(bench: Bench, vitae: Vitae, proxy: Contestant, provider: FakeProvider) {
    this.#bench = bench
    this.#vitae = vitae
    this.#proxy = proxy
    this.#provider = provider
  }

  async measure(): Promise<Findings> {
    const capacity = await this.#capacity()
    const rounds: Rounds[] = []
    for (const level of levelsOf(capacity)) rounds.push(await this.#level(level))
    const ratios = rounds.map(cpuRatio)
    return {
      rows: rounds.flatMap(rowsOf),
      ratios,
      billing: mergeChecks(rounds.flatMap(({ checks }) => checks)),
      verdicts: rounds.flatMap((each, index) => verdictsOf(each, ratios[index])),
      notes: [
        `Capacity: ${capacity.toFixed(0)} misses a second, each caller with its next one as soon as one is answered.`,
      ],
      shown: added,
    }
  }

  /** The throughput of 200 callers without pauses. The first run warms up, and the proxy gets as many calls. */
  async #capacity(): Promise<number> {
    const { url, keys } = this.#vitae
    const { seconds, quick } = this.#bench.options
    const requests = quick ? 200 : 200 * seconds
    const send = (to: string, key: string | undefined, count: number) =>
      sendAll(this.#bench.cores.load, { ...this.#plan(to, key, count), connections: 200 })
    await send(this.#proxy.url, this.#proxy.keys[0], 2 * requests)
    await send(url, keys[0], requests)
    const report = await send(url, keys[0], requests)
    return okOf(report) / report.seconds
  }

  async #level(level: Level): Promise<Rounds> {
    const rounds: Rounds = { level, direct: [], proxy: [], vitae: [], checks: [] }
    const { account, keys, url, pids } = this.#vitae
    for (let round = 0; round < this.#bench.options.rounds; round++) {
      const send = (to: string, key: string | undefined, of: number[]) => this.#send(level, round, to, key, of)
      rounds.direct.push(await send(this.#provider.url, this.#provider.key, []))
      rounds.proxy.push(await send(this.#proxy.url, this.#proxy.keys[0], this.#proxy.pids))
      const { check } = await billedRun(`vitae-live, ${level.name}`, account, async () => {
        const sent = await send(url, keys[0], pids)
        rounds.vitae.push(sent)
        return sent.report
      })
      rounds.checks.push(check)
    }
    this.#bench.say(`  ${level.name}: ${spread(addedBy(rounds, 'vitae')).median.toFixed(1)} ms added at the median`)
    return rounds
  }

  async #send({ perSecond }: Level, seed: number, url: string, key: string | undefined, pids: number[]): Promise<Sent> {
    const { seconds } = this.#bench.options
    const requests = Math.max(10, Math.round(perSecond === null ? (seconds * 1_000) / latencyMs : perSecond * seconds))
    const plan = this.#plan(url, key, requests)
    const before = cpuSeconds(pids) ?? NaN
    const report =
      perSecond === null
        ? await sendAll(this.#bench.cores.load, { ...plan, connections: 1 })
        : await sendArrivals(this.#bench.cores.load, { ...plan, perSecond, seed })
    return { report, cpuMicros: (((cpuSeconds(pids) ?? NaN) - before) * 1e6) / requests }
  }

  #plan(url: string, key = '', requests: number) {
    const first = this.#fresh
    this.#fresh += requests
    return {
      url,
      path: `/v1/people/profile?profile_id=miss-${process.pid}-#`,
      headers: { ApiKey: key },
      requests,
      first,
    }
  }
}

function levelsOf(capacity: number): Level[] {
  const part = (share: number, addedAtMostMs: number | null): Level => ({
    name: `${share} % of capacity`,
    perSecond: (capacity * share) / 100,
    addedAtMostMs,
    cpuAtMost: null,
  })
  return [
    { name: 'one at a time', perSecond: null, addedAtMostMs: 5, cpuAtMost: null },
    { name: '100 a second', perSecond: 100, addedAtMostMs: null, cpuAtMost: 3 },
    part(25, 5),
    part(50, 25),
    part(75, null),
  ]
}

function addedBy({ direct, ...others }: Rounds, who: 'vitae' | 'proxy'): number[] {
  return others[who].map(({ report }, round) => report.p50Ms - (direct[round]?.report.p50Ms ?? NaN))
}

function rowsOf(rounds: Rounds): Row[] {
  return (['vitae', 'proxy'] as const).map((who) => {
    const name = `${who === 'vitae' ? 'vitae-live' : 'bare proxy'}, ${rounds.level.name}`
    const row = rowOf(
      name,
      rounds[who].map(({ report }) => report),
    )
    const cpuMicros = spread(rounds[who].map((sent) => sent.cpuMicros))
    return { ...row, measures: { ...row.measures, [added]: spread(addedBy(rounds, who)), [cpu]: cpuMicros } }
  })
}

function cpuRatio({ level, vitae, proxy }: Rounds): Ratio {
  const value = spread(vitae.map(({ cpuMicros }, round) => cpuMicros / (proxy[round]?.cpuMicros ?? NaN)))
  return { of: `vitae-live, ${level.name}`, to: `bare proxy, ${level.name}`, measure: cpu, value }
}

function verdictsOf(rounds: Rounds, ratio: Ratio | undefined): Verdict[] {
  const { name, addedAtMostMs, cpuAtMost } = rounds.level
  const { median } = spread(addedBy(rounds, 'vitae'))
  const latency: Verdict = {
    claim: `added to the provider's latency at the median, ${name}`,
    wanted: `at most ${addedAtMostMs} ms`,
    got: `${median.toFixed(1)} ms`,
    met: addedAtMostMs !== null && median <= addedAtMostMs,
  }
  return [
    ...(addedAtMostMs === null ? [] : [latency]),
    ...(cpuAtMost === null || !ratio ? [] : atMost(`CPU per miss beside a bare proxy, ${name}`, cpuAtMost, [ratio])),
  ]
}
