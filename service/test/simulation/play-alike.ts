/** One of two processes of `both-engines.ts`: plays each seed that it receives, and sends what happened. */
import { enableCompileCache } from 'node:module'
import { faults } from './faults/faults.ts'
import { plant } from './faults/plant.ts'
import type { CanonicalState } from './laws/canonical-state.ts'
import type { SeedPlayer } from './play-seeds.ts'
import type { SeedResult } from './run-seed.ts'

/** The task of a process. */
export interface AskedAlike {
  engine: 'sqlite' | 'postgres'
  plant: string | undefined
  seed: number
  steps: number
  only: readonly number[] | undefined
  without: readonly string[]
}

/** All steps with their results, and the state of the store at the end. */
export interface PlayedAlike {
  result: SeedResult
  lines: string[]
  state: CanonicalState
}

enableCompileCache()
let player: SeedPlayer | null = null

process.on('message', (asked: AskedAlike) => void play(asked))
process.once('disconnect', () => void player?.close().finally(() => process.exit()))
for (const end of ['SIGTERM', 'SIGINT'] as const) process.once(end, () => process.exit())

async function play({ engine, plant: fault, seed, steps, only, without }: AskedAlike): Promise<void> {
  if (!player) {
    if (fault !== undefined) plant(fault, faults)
    const { SeedPlayer: Player } = await import('./play-seeds.ts')
    player = await Player.open(engine)
  }
  const lines: string[] = []
  let state: CanonicalState = {}
  const onStep = (line: string) => void lines.push(line)
  const atEnd = (last: CanonicalState) => void (state = last)
  const options = { steps, without, only: only && new Set(only), onStep, atEnd }
  const result = await player.play(seed, options)
  process.send?.({ result, lines, state } satisfies PlayedAlike)
}
