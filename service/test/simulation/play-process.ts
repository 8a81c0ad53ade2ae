/** One of the processes of `spread-seeds.ts`: plays its share and says how each seed ended. */
import { enableCompileCache } from 'node:module'
import { faults } from './faults/faults.ts'
import { plant } from './faults/find-faults.ts'
import type { Result, Share } from './spread-seeds.ts'

// Reading the sources takes longer than ten seeds.
enableCompileCache()
process.once('message', (share: Share) => void play(share))
// The others need not play on where enough has failed, or the one who wants to know is gone: its folders go with it.
for (const end of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(end, () => process.exit())

async function play({ seeds, steps, plant: fault, engine }: Share): Promise<void> {
  if (fault !== undefined) plant(fault, faults)
  const { SeedPlayer } = await import('./play-seeds.ts')
  const player = await SeedPlayer.open(engine)
  for (const seed of seeds) {
    const result: Result = { seed, ...(await player.play(seed, { steps })) }
    process.send?.(result)
  }
  await player.close()
  process.disconnect()
}
