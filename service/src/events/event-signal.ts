import type { Store } from '../database/store.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Log } from '../foundation/log.ts'
import type { EventOperations } from './operations.ts'

interface Deps {
  store: Pick<Store<EventOperations>, 'publishEvents'>
  clock: Clock
  log: Log
  everyMs?: number
}

/**
 * Tells who delivers events in this process that there are new ones, written here or on another node. It looks once a
 * second, at one entry of a small index, and only while somebody listens; `wake` makes it look at once.
 */
export class EventSignal {
  readonly #deps: Deps
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  #again = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Calls the listener after new events were published, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => this.wake(), this.#deps.everyMs ?? 1_000).unref()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Looks for new events now. */
  wake(): void {
    if (this.#listeners.size === 0) return
    this.#again = true
    this.#looking ??= this.#look().finally(() => (this.#looking = null))
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#stop()
    await this.#looking
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#deps
    try {
      while (this.#again) {
        this.#again = false
        const { published } = await store.publishEvents({ now: clock.now() })
        if (published > 0) for (const listener of this.#listeners) listener()
      }
    } catch (error) {
      log.warn({ err: error }, 'new events could not be looked for; tried again in a moment')
    }
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
