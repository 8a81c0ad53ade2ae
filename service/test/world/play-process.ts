/** A worker process of `spread-seeds.ts`: plays its share and reports the result of each seed. */
import { enableCompileCache } from 'node:module'
import { plant } from '../simulation/faults/plant.ts'
import { ownDisk } from '../simulation/world/own-disk.ts'
import { ownChance } from '../simulation/world/random.ts'
import { VirtualTime } from '../simulation/world/virtual-time.ts'
import { faults } from './faults/faults.ts'
import type { Share } from './spread-seeds.ts'

enableCompileCache()
process.once('message', (share: Share) => void play(share))
// Exits when enough seeds have failed or the parent is gone. Its folders are removed with it.
for (const end of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(end, () => process.exit())

async function play({ seeds, plant: fault, person, isQuick }: Share): Promise<void> {
  if (fault !== undefined) plant(fault, faults)
  const time = new VirtualTime()
  time.install()
  ownChance()
  ownDisk()
  // Loads the product only now, so that modules that keep a timer or a random source get ours.
  const { runSeed } = await import('./run-seed.ts')
  const { openSqliteEngine } = await import('../simulation/world/sqlite-engine.ts')
  const engine = await openSqliteEngine(time.clock)
  for (const seed of seeds) {
    const { seedStore, end } = await engine.begin()
    process.send?.({ seed, ...(await runSeed(time, seedStore, { seed, person, isQuick })) })
    await end()
  }
  await engine.close()
  process.disconnect?.()
}
