import type { runSeed, SeedResult } from './run-seed.ts'
import type { CanonicalState } from './laws/canonical-state.ts'
import type { StoreEngine } from './world/sqlite-engine.ts'
import { ownDisk } from './world/own-disk.ts'
import { ownNetwork } from './world/own-network.ts'
import { ownChance } from './world/random.ts'
import { VirtualTime } from './world/virtual-time.ts'

/** `both` compares them. */
export type EngineName = 'sqlite' | 'postgres' | 'both'

export interface PlayOptions {
  steps: number
  onStep?: ((line: string) => void) | undefined
  only?: ReadonlySet<number> | undefined
  without?: readonly string[] | undefined
  /** If given, the store takes one message at a time, as on every engine, and its state at the end is read. */
  atEnd?: ((state: CanonicalState) => void) | undefined
}

/** Plays seeds in this process, one after another. The process cannot be used for anything else afterwards. */
export class SeedPlayer {
  readonly #time: VirtualTime
  readonly #engine: StoreEngine
  readonly #runSeed: typeof runSeed

  private constructor(time: VirtualTime, engine: StoreEngine, run: typeof runSeed) {
    this.#time = time
    this.#engine = engine
    this.#runSeed = run
  }

  static async open(engine: 'sqlite' | 'postgres'): Promise<SeedPlayer> {
    const time = new VirtualTime()
    time.install()
    ownChance()
    ownDisk()
    ownNetwork()
    // Loads the product only now, so that modules that keep a timer or a random source get ours.
    const { runSeed: run } = await import('./run-seed.ts')
    const opening =
      engine === 'sqlite'
        ? (await import('./world/sqlite-engine.ts')).openSqliteEngine(time.clock)
        : (await import('./world/postgres-engine.ts')).openPostgresEngine(time.clock)
    return new SeedPlayer(time, await opening, run)
  }

  async play(seed: number, options: PlayOptions): Promise<SeedResult> {
    const { seedStore, end } = await this.#engine.begin()
    try {
      return await this.#runSeed(
        this.#time,
        { ...seedStore, isCompared: options.atEnd !== undefined },
        { seed, ...options },
      )
    } finally {
      await end()
    }
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}

/** A player of one engine, or of both. */
export async function openPlayer(
  engine: EngineName,
  plant?: string,
): Promise<{ play(seed: number, options: PlayOptions): Promise<SeedResult>; close(): Promise<void> }> {
  if (engine !== 'both') return SeedPlayer.open(engine)
  const { BothEngines } = await import('./both-engines.ts')
  return new BothEngines(plant)
}
