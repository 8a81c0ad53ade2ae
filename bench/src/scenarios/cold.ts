import { benchSlug } from '../stores/bench-slug.ts'
import { startReadyBytes } from '../contestants/ready-bytes.ts'
import { takeSample } from '../contestants/sample-answer.ts'
import { startVitae } from '../contestants/vitae.ts'
import { race, rps } from '../race.ts'
import { withAll } from './with-all.ts'
import type { Scenario } from './scenario.ts'

/** Store hits that are not in memory: each one is read from the engine, decompressed and cut to the requested parts. */
export const cold: Scenario = {
  name: 'cold',
  title: 'Store hit, cold cache: random ids out of 100,000 records, VITAE_CACHE_MB=1',
  run: (bench) =>
    withAll(async (start) => {
      const { cores, folder, options } = bench
      const records = options.quick ? 1_000 : 100_000
      const store = await bench.stores.embedded(records)
      const env = { VITAE_CACHE_MB: '1' }
      const live = await start(startVitae({ name: 'vitae-live', store, cores: cores.server, env }))
      const sample = await takeSample(live.url, live.keys[0] ?? '', benchSlug(0))
      const bare = await start(startReadyBytes({ cores: cores.server, folder, sample, key: live.keys[0] ?? '' }))
      const { rows, billing, notes, ratio } = await race(bench, [
        { name: 'vitae-live, random ids', contestant: live, ids: records },
        { name: 'vitae-live, one id', contestant: live, ids: 1 },
        { name: 'node-http', contestant: bare, ids: 1 },
      ])
      const ratios = [
        ...ratio('vitae-live, random ids', 'node-http'),
        ...ratio('vitae-live, random ids', 'vitae-live, one id'),
      ]
      return { rows, ratios, billing, notes, verdicts: [], shown: rps }
    }),
}
