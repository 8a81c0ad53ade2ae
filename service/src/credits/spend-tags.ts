import type { Store } from '../database/store.ts'
import { utcDay, type Clock } from '../foundation/clock.ts'
import type { CreditOperations } from './operations.ts'

/** What further tags of a full day are counted as. No tag can have this name. */
export const otherTags = '(other)'

interface Deps {
  store: Pick<Store<CreditOperations>, 'registerTag'>
  clock: Clock
  /** How many distinct tags an environment may have in a UTC day. */
  atMost: number
}

/** What this process knows of an environment's day. */
interface KnownDay {
  day: string
  tags: Set<string>
  isFull: boolean
}

const rememberedAtMost = 100_000

/**
 * Bounds the distinct spend tags of an environment and day, and so every report by tag. The store is asked once for each
 * new tag; what is known here, and a day that is full, costs a call nothing.
 */
export class SpendTags {
  readonly #deps: Deps
  readonly #days = new Map<number, KnownDay>()
  #remembered = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The name that a call with this tag is counted under. */
  countedAs(environmentId: number, tag: string): string | Promise<string> {
    const day = utcDay(this.#deps.clock.now())
    const known = this.#days.get(environmentId)
    if (known?.day === day) {
      if (known.tags.has(tag)) return tag
      if (known.isFull) return otherTags
    }
    return this.#register(environmentId, day, tag)
  }

  async #register(environmentId: number, day: string, tag: string): Promise<string> {
    const { store, atMost } = this.#deps
    const { counted, tags } = await store.registerTag({ environmentId, day, tag, atMost })
    if (this.#remembered >= rememberedAtMost) {
      this.#days.clear()
      this.#remembered = 0
    }
    const before = this.#days.get(environmentId)
    const known = before?.day === day ? before : { day, tags: new Set<string>(), isFull: false }
    this.#days.set(environmentId, known)
    // A full day is read whole, so that none of its tags is asked for again.
    for (const one of tags) known.tags.add(one)
    known.isFull = !counted || tags.length >= atMost
    this.#remembered += tags.length
    return counted ? tag : otherTags
  }
}
