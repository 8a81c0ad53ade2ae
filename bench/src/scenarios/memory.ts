import { startVitae } from '../contestants/vitae.ts'
import { sendAll } from '../load/own-load.ts'
import { billedRun, mergeChecks } from '../own-runs.ts'
import { memoryOf } from '../process/process-cost.ts'
import { connections } from '../race.ts'
import type { BillingCheck, Row } from '../report/result.ts'
import { spread } from '../report/spread.ts'
import { storeSizes } from './growth.ts'
import type { Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const path = '/v1/people/profile?profile_id=p#'
const cacheMb = 64
const allowedMb = 150

/** Requests every record of a store once: memory must follow VITAE_CACHE_MB, not the number of records. */
export const memory: Scenario = {
  name: 'memory',
  title: `Resident memory after distinct lookups, VITAE_CACHE_MB=${cacheMb}`,
  run: (bench) =>
    withAll(async (start) => {
      const records = storeSizes(bench.options).at(-1) ?? 1
      const store = await bench.stores.embedded(records)
      const env = { VITAE_CACHE_MB: String(cacheMb) }
      const vitae = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server, env }))
      const pid = vitae.pids[0] ?? 0
      const rows: Row[] = [rowOf('vitae-live, just started', pid)]
      const checks: BillingCheck[] = []
      const step = Math.ceil(records / 4)
      for (let first = 0; first < records; first += step) {
        const requests = Math.min(step, records - first)
        const plan = { url: vitae.url, path, headers: { ApiKey: vitae.keys[0] ?? '' }, connections, requests, first }
        const { check } = await billedRun('vitae-live', vitae.account, () => sendAll(bench.cores.load, plan))
        checks.push(check)
        rows.push(rowOf(`vitae-live, ${(first + requests).toLocaleString('en-US')}`, pid))
      }
      const peak = Math.max(...rows.map((row) => row.measures['peak MB']?.max ?? NaN))
      const verdict = {
        claim: `peak after ${records} distinct lookups`,
        wanted: `at most ${cacheMb} + ${allowedMb} MB`,
        got: `${Math.round(peak)} MB`,
        met: peak <= cacheMb + allowedMb,
      }
      return { rows, ratios: [], billing: mergeChecks(checks), verdicts: [verdict], notes: [], shown: 'resident MB' }
    }),
}

function rowOf(name: string, pid: number): Row {
  const { nowMb, peakMb } = memoryOf(pid) ?? { nowMb: NaN, peakMb: NaN }
  return { name, measures: { 'resident MB': spread([nowMb]), 'peak MB': spread([peakMb]) } }
}
