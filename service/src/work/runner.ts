import type { Log } from '../foundation/log.ts'

/** One kind of background work. Its items are pieces that this node has claimed: a batch, a due watch, a timed job. */
export interface Work<Item> {
  name: string
  /** How often due items are claimed if nothing wakes the runner. */
  everyMs: number
  /** Wake-ups within this time cause one claim. */
  gatherMs?: number
  /** Claims due items. An item that is in progress runs once more if it is returned again. */
  claim(inProgress: readonly Item[]): Promise<readonly Item[]>
  keyOf(item: Item): string
  /** Runs an item. The signal aborts when the runner closes, or when the item's lease is lost. */
  run(item: Item, stop: AbortSignal): Promise<unknown>
  /** Renews the leases of the items in progress; returns the keys of those that are still this node's. */
  renew?: { everyMs: number; keep(inProgress: readonly Item[]): Promise<readonly string[]> }
  /** Whether the end of an item makes room for another, so that due items are claimed at once. */
  refills?: boolean
}

interface InProgress<Item> {
  item: Item
  stop: AbortController
  runAgain: boolean
  ended: Promise<void>
}

/** A job that runs at an interval, and never twice at once. */
export interface TimedJob {
  name: string
  everyMs: number
  run(stop?: AbortSignal): Promise<unknown>
}

/** A timed job as work of one item. */
export function timedWork(job: TimedJob): Work<TimedJob> {
  const { name, everyMs } = job
  const claim = async (inProgress: readonly TimedJob[]) => (inProgress.length > 0 ? [] : [job])
  return { name, everyMs, claim, keyOf: () => name, run: (_job, stop) => job.run(stop) }
}

/**
 * Runs background work of one kind: claims due items periodically and when woken, runs them concurrently, renews their
 * leases, and stops those whose lease is lost. A failure is logged, and the work is tried again at the next claim.
 */
export class Runner<Item> {
  readonly #work: Work<Item>
  readonly #log: Log
  readonly #inProgress = new Map<string, InProgress<Item>>()
  #timers: NodeJS.Timeout[] = []
  #waking: NodeJS.Timeout | null = null
  #claiming: Promise<void> | null = null
  #claimAgain = false
  #closed = false

  constructor(work: Work<Item>, log: Log) {
    this.#work = work
    this.#log = log
  }

  /** Starts to claim due items, when woken and periodically. */
  start(everyMs = this.#work.everyMs): void {
    const every = (ms: number, step: () => Promise<void>) => setInterval(() => void step(), ms).unref()
    this.#timers = [every(everyMs, () => this.#claim())]
    const { renew } = this.#work
    if (renew) this.#timers.push(every(renew.everyMs, () => this.#renew(renew)))
  }

  /** Claims soon, because something may have become due. */
  wake(): void {
    if (this.#timers.length === 0 || this.#waking) return
    const { gatherMs } = this.#work
    if (gatherMs === undefined) return void this.#claim()
    const claim = () => {
      this.#waking = null
      void this.#claim()
    }
    this.#waking = setTimeout(claim, gatherMs).unref()
  }

  /** Claims once; resolves when everything due has run. */
  async once(): Promise<void> {
    await this.#claim()
    while (this.#inProgress.size > 0) await Promise.race([...this.#inProgress.values()].map(({ ended }) => ended))
  }

  /** Stops. Items in progress end first. */
  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearInterval(timer)
    if (this.#waking) clearTimeout(this.#waking)
    this.#timers = []
    await this.#claiming
    for (const { stop } of this.#inProgress.values()) stop.abort()
    await Promise.all([...this.#inProgress.values()].map(({ ended }) => ended))
  }

  /** One claim at a time: a call during one causes another, which sees what was written meanwhile. */
  #claim(): Promise<void> {
    this.#claimAgain = true
    this.#claiming ??= this.#claimDue().finally(() => (this.#claiming = null))
    return this.#claiming
  }

  async #claimDue(): Promise<void> {
    while (this.#claimAgain && !this.#closed) {
      this.#claimAgain = false
      await this.#try(async () => {
        for (const item of await this.#work.claim(this.#items())) this.#begin(item)
      })
    }
  }

  #begin(item: Item): void {
    const key = this.#work.keyOf(item)
    const running = this.#inProgress.get(key)
    if (running) {
      running.runAgain = true
      return
    }
    const stop = new AbortController()
    const ended = this.#try(() => this.#work.run(item, stop.signal), key).then((isDone) => this.#end(key, isDone))
    this.#inProgress.set(key, { item, stop, runAgain: false, ended })
  }

  async #end(key: string, isDone: boolean): Promise<void> {
    const ended = this.#inProgress.get(key)
    this.#inProgress.delete(key)
    if (this.#closed || !ended) return
    if (ended.runAgain) this.#begin(ended.item)
    else if (isDone && this.#work.refills) await this.#claim()
  }

  async #renew({ keep }: NonNullable<Work<Item>['renew']>): Promise<void> {
    const held = [...this.#inProgress]
    if (held.length === 0) return
    await this.#try(async () => {
      const kept = new Set(await keep(held.map(([, { item }]) => item)))
      for (const [key, { stop }] of held) if (!kept.has(key)) stop.abort()
    })
  }

  #items(): Item[] {
    return [...this.#inProgress.values()].map(({ item }) => item)
  }

  /** Whether it succeeded. */
  async #try(step: () => Promise<unknown>, item?: string): Promise<boolean> {
    try {
      await step()
      return true
    } catch (error) {
      this.#log.warn({ err: error, work: this.#work.name, item }, 'background work failed; it is tried again')
      return false
    }
  }
}
