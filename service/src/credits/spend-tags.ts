import type { CreditStore } from './operations.ts'
import { utcDay, type Clock } from '../foundation/clock.ts'

/** The name under which further tags are counted once the day's limit is reached. No real tag can have it. */
export const otherTags = '(other)'

interface Deps {
  store: { credits: Pick<CreditStore, 'registerTag'> }
  clock: Clock
  /** The maximum number of distinct tags per environment and UTC day. */
  atMost: number
}

/** The tags that this process knows for an environment's day. */
interface KnownDay {
  day: string
  tags: Set<string>
  isFull: boolean
}

const rememberedAtMost = 100_000

/**
 * Limits the distinct spend tags per environment and day, and so the size of every report by tag. The store is asked
 * once per new tag; known tags and full days cost nothing.
 */
export class SpendTags {
  readonly #deps: Deps
  readonly #days = new Map<number, KnownDay>()
  #remembered = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The name under which a call with this tag is counted. */
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
    const { counted, tags } = await store.credits.registerTag({ environmentId, day, tag, atMost })
    if (this.#remembered >= rememberedAtMost) {
      this.#days.clear()
      this.#remembered = 0
    }
    const before = this.#days.get(environmentId)
    const known = before?.day === day ? before : { day, tags: new Set<string>(), isFull: false }
    this.#days.set(environmentId, known)
    // For a full day the store returns all tags, so that none of them is asked for again.
    for (const one of tags) known.tags.add(one)
    known.isFull = !counted || tags.length >= atMost
    this.#remembered += tags.length
    return counted ? tag : otherTags
  }
}
