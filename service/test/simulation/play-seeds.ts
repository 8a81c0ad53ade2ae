import type { runSeed, SeedResult } from './run-seed.ts'
import type { Grounds } from './world/ground.ts'
import { ownDisk } from './world/own-disk.ts'
import { ownChance } from './world/random.ts'
import { VirtualTime } from './world/virtual-time.ts'

export type EngineName = 'sqlite' | 'postgres'

interface Options {
  steps: number
  onStep?: ((line: string) => void) | undefined
  only?: ReadonlySet<number> | undefined
}

/** Plays seeds in this process, one after the other. The process is of no other use afterwards. */
export class SeedPlayer {
  readonly #time: VirtualTime
  readonly #grounds: Grounds
  readonly #runSeed: typeof runSeed

  private constructor(time: VirtualTime, grounds: Grounds, run: typeof runSeed) {
    this.#time = time
    this.#grounds = grounds
    this.#runSeed = run
  }

  static async open(engine: EngineName): Promise<SeedPlayer> {
    const time = new VirtualTime()
    time.install()
    ownChance()
    ownDisk()
    // The product is loaded only now: a module that keeps a timer or a source of chance at its start keeps ours.
    const { runSeed: run } = await import('./run-seed.ts')
    const grounds =
      engine === 'sqlite'
        ? (await import('./world/ground.ts')).openSqliteGrounds(time.clock)
        : (await import('./world/postgres-ground.ts')).openPostgresGrounds(time.clock)
    return new SeedPlayer(time, await grounds, run)
  }

  async play(seed: number, options: Options): Promise<SeedResult> {
    const { ground, end } = await this.#grounds.begin()
    try {
      return await this.#runSeed(this.#time, ground, { seed, ...options })
    } finally {
      await end()
    }
  }

  close(): Promise<void> {
    return this.#grounds.close()
  }
}
