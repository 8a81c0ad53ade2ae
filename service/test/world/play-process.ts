/** One of the processes of `spread-seeds.ts`: plays its share and says how each seed ended. */
import { enableCompileCache } from 'node:module'
import { plant } from '../simulation/faults/find-faults.ts'
import { ownDisk } from '../simulation/world/own-disk.ts'
import { ownChance } from '../simulation/world/random.ts'
import { VirtualTime } from '../simulation/world/virtual-time.ts'
import { faults } from './faults/faults.ts'
import type { Share } from './spread-seeds.ts'

enableCompileCache()
process.once('message', (share: Share) => void play(share))
// The others need not play on where enough has failed, or the one who wants to know is gone: its folders go with it.
for (const end of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(end, () => process.exit())

async function play({ seeds, plant: fault, person, isQuick }: Share): Promise<void> {
  if (fault !== undefined) plant(fault, faults)
  const time = new VirtualTime()
  time.install()
  ownChance()
  ownDisk()
  // The product is loaded only now: a module that keeps a timer or a source of chance at its start keeps ours.
  const { runSeed } = await import('./run-seed.ts')
  const { openSqliteEngine } = await import('../simulation/world/sqlite-engine.ts')
  const engine = await openSqliteEngine(time.clock)
  for (const seed of seeds) {
    const { seedStore, end } = await engine.begin()
    process.send?.({ seed, ...(await runSeed(time, seedStore, { seed, person, isQuick })) })
    await end()
  }
  await engine.close()
  process.disconnect()
}
