import { coresForWorkers } from '../process/cores.ts'
import { startVitae } from '../contestants/vitae.ts'
import { cpu, race, rps } from '../race.ts'
import { atLeast, type Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const records = 100
const promised = 1.7

/** One serving process against two. The promise is only judged where both have a core that the load does not use. */
export const workers: Scenario = {
  name: 'workers',
  title: 'Store hit, hot cache: one and two workers',
  run: (bench) =>
    withAll(async (start) => {
      const two = coresForWorkers(bench.cores, 2)
      const one = coresForWorkers(bench.cores, 1)
      const runners = []
      for (const [count, { cores }] of [[1, one] as const, [2, two] as const]) {
        const store = await bench.stores.embedded(records, { name: `workers-${count}` })
        const name = `vitae-live, ${count} worker${count === 1 ? '' : 's'}`
        const env = { VITAE_WORKERS: String(count) }
        runners.push({ name, contestant: await start(startVitae({ name, store, cores, env })), ids: records })
      }
      const { rows, billing, notes, ratio } = await race(bench, runners)
      const [faster, costlier] = [rps, cpu].map((measure) =>
        ratio('vitae-live, 2 workers', 'vitae-live, 1 worker', measure),
      )
      const shared = 'two workers and the load share the cores here: only the CPU time per call is meaningful'
      return {
        rows,
        ratios: [...(faster ?? []), ...(costlier ?? [])],
        billing,
        notes: two.shared ? [...notes, shared] : notes,
        verdicts: two.shared ? [] : atLeast('two workers against one', promised, faster ?? []),
        shown: two.shared ? cpu : rps,
      }
    }),
}
