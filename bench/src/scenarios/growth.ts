import type { Bench } from '../bench.ts'
import { startVitae } from '../contestants/vitae.ts'
import { race, rps, type Race } from '../race.ts'
import type { Findings } from '../report/result.ts'
import { atLeast, type Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const promised = 1.15

/** The same load on stores of very different size. */
export const growth: Scenario = {
  name: 'growth',
  title: 'Store hit on 1,000 to 1,000,000 stored records, hot and cold',
  async run(bench) {
    const sizes = storeSizes(bench.options)
    const hot = await raceSizes(bench, sizes, 'hot')
    const cold = await raceSizes(bench, sizes, 'cold')
    const found: Findings = { rows: [], ratios: [], billing: [], verdicts: [], notes: [], shown: rps }
    for (const [kind, result] of [['hot', hot] as const, ['cold', cold] as const]) {
      found.rows.push(...result.rows)
      found.billing.push(...result.billing)
      found.notes.push(...result.notes)
      const ratios = result.ratio(nameOf(kind, sizes.at(-1) ?? 0), nameOf(kind, sizes[0] ?? 0))
      found.ratios.push(...ratios)
      const claim = `${kind}: ${sizes.at(-1)} records against ${sizes[0]}`
      found.verdicts.push(...atLeast(claim, Number((1 / promised).toFixed(2)), ratios))
    }
    return found
  },
}

/** The sizes of stores that a run looks at. */
export function storeSizes({ quick, full }: { quick: boolean; full: boolean }): number[] {
  if (quick) return [100, 1_000]
  return full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]
}

function nameOf(kind: 'hot' | 'cold', records: number): string {
  return `vitae-live, ${kind}, ${records.toLocaleString('en-US')}`
}

/** Hot: a hundred records of the store, all in memory. Cold: all of them at random, and next to no memory. */
function raceSizes(bench: Bench, sizes: readonly number[], kind: 'hot' | 'cold'): Promise<Race> {
  return withAll(async (start) => {
    const env = { VITAE_CACHE_MB: kind === 'hot' ? '256' : '1' }
    const runners = []
    for (const records of sizes) {
      const store = await bench.stores.embedded(records)
      const name = nameOf(kind, records)
      const contestant = await start(startVitae({ name, store, cores: bench.cores.server, env }))
      runners.push({ name, contestant, ids: kind === 'hot' ? 100 : records })
    }
    return race(bench, runners)
  })
}
