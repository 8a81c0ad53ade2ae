/** A worker process of `spread-seeds.ts`: plays its share and reports the result of each seed. */
import { enableCompileCache } from 'node:module'
import { faults } from './faults/faults.ts'
import { plant } from './faults/plant.ts'
import type { Result, Share } from './spread-seeds.ts'

// Compiling the sources takes longer than ten seeds.
enableCompileCache()
process.once('message', (share: Share) => void play(share))
// Exits when enough seeds have failed or the parent is gone. Its folders are removed with it.
for (const end of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(end, () => process.exit())

async function play({ seeds, steps, plant: fault, engine, without }: Share): Promise<void> {
  if (fault !== undefined) plant(fault, faults)
  const { openPlayer } = await import('./play-seeds.ts')
  const player = await openPlayer(engine, fault)
  for (const seed of seeds) {
    const result: Result = { seed, ...(await player.play(seed, { steps, without })) }
    process.send?.(result)
  }
  await player.close()
  process.disconnect?.()
}
