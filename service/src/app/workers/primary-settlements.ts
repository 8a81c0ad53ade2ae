import type { RunOperation } from '../../database/store.ts'

/** The settlements of one worker: requests as JSON, separated by commas, which nobody has to read on the way. */
export interface Settling {
  text: string
  count: number
}

interface Entry extends Settling {
  /** With the decisions as JSON. */
  resolve(decisions: string): void
  reject(error: unknown): void
}

const crowd = 16
const togetherAtMost = 1_000
const patienceAtMostMs = 10
/** A worker answers its callers and reads their next calls in a few times as long as their settlement takes. */
const patienceTimes = 5

/**
 * Group commit over all workers: what several of them want settled is one transaction. After one of a crowd, those whose
 * workers have just been answered are waited for, for some milliseconds at most: without that the workers would take turns,
 * each with a transaction of its own. Who does not come is not waited for again.
 */
export class ClusterSettlements {
  readonly #run: RunOperation
  #waiting: Entry[] = []
  #running = false
  #expected = 1
  #patienceEnds = 0
  #timer: NodeJS.Timeout | undefined

  constructor(run: RunOperation) {
    this.#run = run
  }

  settle(settling: Settling): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...settling, resolve, reject })
      this.#begin()
    })
  }

  #begin(): void {
    if (this.#running || this.#waiting.length === 0) return
    clearTimeout(this.#timer)
    const patienceMs = this.#waiting.length < this.#expected ? this.#patienceEnds - performance.now() : 0
    if (patienceMs > 0) this.#timer = setTimeout(() => this.#begin(), Math.ceil(patienceMs))
    else void this.#settleTogether(this.#next())
  }

  #next(): Entry[] {
    let sum = 0
    const tooMany = this.#waiting.findIndex(({ count }, index) => (sum += count) > togetherAtMost && index > 0)
    return this.#waiting.splice(0, tooMany === -1 ? this.#waiting.length : tooMany)
  }

  async #settleTogether(entries: Entry[]): Promise<void> {
    this.#running = true
    const started = performance.now()
    try {
      const text = `{"rows":[${entries.map((entry) => entry.text).join(',')}]}`
      const decisions = JSON.parse((await this.#run('settle', text)) as string) as unknown[]
      for (const { count, resolve } of entries) resolve(JSON.stringify(decisions.splice(0, count)))
    } catch (error) {
      for (const { reject } of entries) reject(error)
    }
    const ended = performance.now()
    const isCrowd = entries.reduce((sum, { count }) => sum + count, 0) >= crowd
    this.#expected = isCrowd ? entries.length + this.#waiting.length : 1
    this.#patienceEnds = ended + Math.min(patienceAtMostMs, patienceTimes * (ended - started))
    this.#running = false
    this.#begin()
  }
}
