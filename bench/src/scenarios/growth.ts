import { spawnSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { startVitae } from '../contestants/vitae.ts'
import { race, rps, type Race } from '../race.ts'
import type { Findings } from '../report/result.ts'
import type { Store } from '../stores/stores.ts'
import { atLeast, type Scenario } from './scenario.ts'
import { withAll } from './with-all.ts'

const promised = 1.15

/**
 * The place of the requested records. Hot: a hundred of them, in the service's memory. Cold: any of them, in the operating
 * system's cache. Disk: any of them, cached nowhere; no claim is made about the disk.
 */
const kinds = ['hot', 'cold', 'disk'] as const
type Kind = (typeof kinds)[number]

/** The same load on stores of very different sizes. */
export const growth: Scenario = {
  name: 'growth',
  title: 'Store hit on 1,000 to 1,000,000 stored records: hot, cold, and from the disk',
  async run(bench) {
    const sizes = storeSizes(bench.options)
    const [smallest = 0, largest = 0] = [sizes[0], sizes.at(-1)]
    const found: Findings = { rows: [], ratios: [], billing: [], verdicts: [], notes: [], shown: rps }
    for (const kind of kinds) {
      if (kind === 'disk' && !(await coolStores(bench, sizes))) {
        bench.say(
          '!! SKIPPED: records from the disk. GNU dd is needed to drop a file from the cache of the operating system.',
        )
        continue
      }
      const result = await raceSizes(bench, sizes, kind)
      found.rows.push(...result.rows)
      found.billing.push(...result.billing)
      found.notes.push(...result.notes)
      const ratios = result.ratio(nameOf(kind, largest), nameOf(kind, smallest))
      found.ratios.push(...ratios)
      const claim = `${kind}: ${largest} records against ${smallest}`
      if (kind !== 'disk') found.verdicts.push(...atLeast(claim, Number((1 / promised).toFixed(2)), ratios))
    }
    return found
  },
}

/** The sizes of the measured stores. */
export function storeSizes({ quick, full }: { quick: boolean; full: boolean }): number[] {
  if (quick) return [100, 1_000]
  return full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]
}

function nameOf(kind: Kind, records: number): string {
  return `vitae-live, ${kind}, ${records.toLocaleString('en-US')}`
}

function fileOf({ dataDir }: Store): string {
  return join(dataDir, 'vitae.db')
}

async function coolStores(bench: Bench, sizes: readonly number[]): Promise<boolean> {
  const stores = await Promise.all(sizes.map((records) => bench.stores.embedded(records)))
  return stores.every((store) => coolFile(fileOf(store)))
}

function raceSizes(bench: Bench, sizes: readonly number[], kind: Kind): Promise<Race> {
  return withAll(async (start) => {
    const env = { VITAE_CACHE_MB: kind === 'hot' ? '256' : '1' }
    const runners = []
    for (const records of sizes) {
      const store = await bench.stores.embedded(records)
      if (kind === 'cold') await warmFile(fileOf(store))
      const name = nameOf(kind, records)
      const contestant = await start(startVitae({ name, store, cores: bench.cores.server, env }))
      runners.push({ name, contestant, ids: kind === 'hot' ? 100 : records })
    }
    return race(bench, runners)
  })
}

/** Reads a file once, so that the operating system caches it if there is room. */
async function warmFile(file: string): Promise<void> {
  for await (const _ of createReadStream(file, { highWaterMark: 1_048_576 }));
}

/** Drops a file from the operating system's cache with GNU `dd`, which needs no root. False without it. */
function coolFile(file: string): boolean {
  return spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' }).status === 0
}
