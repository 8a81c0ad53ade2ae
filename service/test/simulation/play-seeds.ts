import { runSeed, type SeedResult } from './run-seed.ts'
import { openSqliteGrounds, type Grounds } from './world/ground.ts'
import { ownChance } from './world/random.ts'
import { VirtualTime } from './world/virtual-time.ts'

export interface Broken extends NonNullable<SeedResult['violation']> {
  seed: number
}

/** The last line of `--json`. */
export interface Played {
  seeds: number
  calls: number
  deaths: number
  failed: number[]
}

export interface Options {
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

  static async open(): Promise<SeedPlayer> {
    const time = new VirtualTime()
    time.install()
    ownChance()
    return new SeedPlayer(time, await openSqliteGrounds(time.clock))
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
