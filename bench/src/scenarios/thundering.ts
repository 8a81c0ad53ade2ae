import type { FakeProvider } from '../../../service/fake-provider/fake-provider.ts'
import type { Bench } from '../bench.ts'
import { startProvider, upstreamOf } from '../contestants/provider.ts'
import { startVitae, type Vitae } from '../contestants/vitae.ts'
import { sendAll, type OwnReport } from '../load/own-load.ts'
import { billedRun, mergeChecks, okOf, rowOf } from '../own-runs.ts'
import type { BillingCheck, Findings } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

/** A thousand callers request the same unknown record at once, and only one fetch is made. */
export const thundering: Scenario = {
  name: 'thundering',
  title: 'A thousand callers on one identifier that nobody has asked for before, provider of 200 ms',
  async run(bench) {
    const provider = await startProvider(200)
    try {
      return await withAll(async (start) => {
        const store = await bench.stores.embedded(1, { name: 'thundering' })
        const env = upstreamOf(provider)
        const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env }))
        return storm(bench, vitae, provider)
      })
    } finally {
      await provider.close()
    }
  },
}

async function storm(bench: Bench, vitae: Vitae, provider: FakeProvider): Promise<Findings> {
  const callers = bench.options.quick ? 100 : 1_000
  const name = `vitae-live, ${callers} callers`
  const [reports, checks, upstream]: [OwnReport[], BillingCheck[], number[]] = [[], [], []]
  for (let round = 0; round < bench.options.rounds; round++) {
    const before = provider.requests.length
    const plan = {
      url: vitae.url,
      path: `/v1/people/profile?profile_id=storm-${process.pid}-${round}`,
      headers: { ApiKey: vitae.keys[0] ?? '' },
      connections: callers,
      requests: callers,
    }
    const { report, check } = await billedRun(name, vitae.account, () => sendAll(bench.cores.load, plan))
    reports.push(report)
    checks.push(check)
    upstream.push(provider.requests.length - before)
  }
  const row = rowOf(name, reports)
  const slowest = spread(reports.map(({ maxMs }) => maxMs))
  const calls = spread(upstream)
  const all = reports.every((report) => okOf(report) === callers)
  return {
    rows: [{ ...row, measures: { ...row.measures, 'slowest ms': slowest, 'upstream calls': calls } }],
    ratios: [],
    billing: mergeChecks(checks),
    notes: [],
    shown: 'slowest ms',
    verdicts: [
      { claim: 'upstream calls', wanted: '1', got: String(calls.max), met: calls.max === 1 },
      { claim: 'every caller was answered', wanted: 'all', got: all ? 'all' : 'not all', met: all },
    ],
  }
}
