import { startVitae } from '../contestants/vitae.ts'
import { cpu, race, rps } from '../race.ts'
import { withAll } from './with-all.ts'
import { atMost, type Scenario } from './scenario.ts'

const records = 100

/** Ten thousand keys in turn vs a single one, because limits and callers are found by key. */
export const keys: Scenario = {
  name: 'keys',
  title: 'Store hit, hot cache: 10,000 live keys against one',
  run: (bench) =>
    withAll(async (start) => {
      const count = bench.options.quick ? 100 : 10_000
      const store = await bench.stores.embedded(records, { keys: count, name: 'keys' })
      const contestant = await start(startVitae({ name: 'vitae-live', store, cores: bench.cores.server }))
      const [one, many] = ['vitae-live, one key', `vitae-live, ${count} keys`]
      const { rows, billing, notes, ratio } = await race(bench, [
        { name: one, contestant, ids: records, keys: store.liveKeys.slice(0, 1) },
        { name: many, contestant, ids: records },
      ])
      const cpuToOne = ratio(many, one, cpu)
      const verdicts = atMost('10,000 keys, CPU per call, against one key', 1.3, cpuToOne)
      return { rows, ratios: [...ratio(many, one), ...cpuToOne], billing, notes, verdicts, shown: rps }
    }),
}
