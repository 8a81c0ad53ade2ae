import { startVitae } from '../contestants/vitae.ts'
import { race, rps } from '../race.ts'
import { withAll } from './with-all.ts'
import type { Scenario } from './scenario.ts'

const records = 100

/** Ten thousand keys in turn vs a single one, because limits and callers are found by key. */
export const manyKeys: Scenario = {
  name: 'many-keys',
  title: 'Store hit, hot cache: 10,000 live keys against one',
  run: (bench) =>
    withAll(async (start) => {
      const keys = bench.options.quick ? 100 : 10_000
      const store = await bench.stores.embedded(records, { keys, name: 'many-keys' })
      const contestant = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server }))
      const many = `vitae-live, ${keys} keys`
      const { rows, billing, notes, ratio } = await race(bench, [
        { name: 'vitae-live, one key', contestant, ids: records, keys: store.liveKeys.slice(0, 1) },
        { name: many, contestant, ids: records },
      ])
      return { rows, ratios: ratio(many, 'vitae-live, one key'), billing, notes, verdicts: [], shown: rps }
    }),
}
