import type { Bench } from '../bench.ts'
import { startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendAll, type OwnReport, type Plan } from '../load/own-load.ts'
import { billedRun, mergeChecks, rowOf } from '../own-runs.ts'
import { connections, rps } from '../race.ts'
import type { BillingCheck } from '../report/result.ts'
import { withAll } from './with-all.ts'
import type { Scenario } from './scenario.ts'

const records = 100

/** Calls with an Idempotency-Key: the first use of each, and the second, which is a free replay. */
export const duplicates: Scenario = {
  name: 'duplicates',
  title: 'Store hit with an Idempotency-Key: first uses, replays, and both at once',
  run: (bench) =>
    withAll(async (start) => {
      const store = await bench.stores.embedded(records, { name: 'duplicates' })
      const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server }))
      const requests = bench.options.quick ? 500 : bench.options.seconds * 5_000
      const ways = waysOf(requests)
      const reports = new Map<string, OwnReport[]>(ways.map(({ name }) => [name, []]))
      const billing: BillingCheck[] = []
      for (let round = 0; round < bench.options.rounds; round++) {
        for (const way of ways) billing.push(await runWay(bench, vitae, way, round, reports.get(way.name) ?? []))
      }
      const rows = ways.map(({ name }) => rowOf(name, reports.get(name) ?? []))
      return { rows, ratios: [], billing: mergeChecks(billing), notes: [note], verdicts: [], shown: rps }
    }),
}

const note = 'made by our own load generator, which is slower than wrk: compare these rows only with each other'

interface Way {
  name: string
  header: Record<string, string>
  requests: number
  repeat: number
  /** The total price of all requests of this variant. */
  owed: number
}

function waysOf(requests: number): Way[] {
  const keyed = { 'Idempotency-Key': `way-@-#` }
  const twice = { 'Idempotency-Key': `twice-@-#` }
  return [
    { name: 'vitae-live, no Idempotency-Key', header: {}, requests, repeat: 1, owed: requests },
    { name: 'vitae-live, first use', header: keyed, requests, repeat: 1, owed: requests },
    { name: 'vitae-live, replay', header: keyed, requests, repeat: 1, owed: 0 },
    { name: 'vitae-live, twice at once', header: twice, requests: requests * 2, repeat: 2, owed: requests },
  ]
}

async function runWay(
  bench: Bench,
  vitae: Vitae,
  way: Way,
  round: number,
  reports: OwnReport[],
): Promise<BillingCheck> {
  const header = Object.entries(way.header).map(([name, value]) => [
    name,
    value.replace('@', `${process.pid}-${round}`),
  ])
  const plan: Plan = {
    url: vitae.url,
    path: '/v1/people/profile?profile_id=p0000000',
    headers: { ApiKey: vitae.keys[0] ?? '', ...Object.fromEntries(header) },
    connections,
    requests: way.requests,
    repeat: way.repeat,
  }
  const { report, check } = await billedRun(way.name, vitae.account, () => sendAll(bench.cores.load, plan), way.owed)
  reports.push(report)
  return { ...check, exact: check.exact && check.answers === way.requests }
}
