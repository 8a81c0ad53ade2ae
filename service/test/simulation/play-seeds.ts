import { runSeed, type SeedResult } from './run-seed.ts'
import { openSqliteGrounds, ownDisk, type Grounds } from './world/ground.ts'
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

  private constructor(time: VirtualTime, grounds: Grounds) {
    this.#time = time
    this.#grounds = grounds
  }

  static async open(engine: EngineName): Promise<SeedPlayer> {
    const time = new VirtualTime()
    time.install()
    ownChance()
    ownDisk()
    if (engine === 'sqlite') return new SeedPlayer(time, await openSqliteGrounds(time.clock))
    const { openPostgresGrounds } = await import('./world/postgres-ground.ts')
    return new SeedPlayer(time, await openPostgresGrounds(time.clock))
  }

  async play(seed: number, options: Options): Promise<SeedResult> {
    const { ground, end } = await this.#grounds.begin()
    try {
      return await runSeed(this.#time, ground, { seed, ...options })
    } finally {
      await end()
    }
  }

  close(): Promise<void> {
    return this.#grounds.close()
  }
}
