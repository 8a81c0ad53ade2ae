import type { EventFeed, VitaeEvent } from './contract.generated.ts'
import { parseObject } from './answers/parse-object.ts'
import { sendRequest } from './calls/send-lookup.ts'
import type { Settings } from './calls/settings.ts'

export type EventOptions = {
  /** The `cursor` of an earlier stream. Default: start with the oldest stored event. */
  after?: string
  /** Only events of these types. */
  types?: readonly VitaeEvent['type'][]
  /** Wait for further events instead of ending after the last one. */
  follow?: boolean
  /** The time between two polls while following. Default: 5 seconds. */
  everyMs?: number
  /** Ends the stream. */
  signal?: AbortSignal
}

/** The events of an environment, in order. Store `cursor` to continue later. */
export class EventStream implements AsyncIterable<VitaeEvent> {
  readonly #settings: Settings
  readonly #options: EventOptions
  #cursor: string | null

  constructor(settings: Settings, options: EventOptions) {
    this.#settings = settings
    this.#options = options
    this.#cursor = options.after ?? null
  }

  /**
   * The position after the last page whose events were all consumed. A stream that is opened with it after a crash
   * repeats a few events at most, recognisable by their ids, and misses none.
   */
  get cursor(): string | null {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<VitaeEvent> {
    const { follow = false, everyMs = 5_000, signal = new AbortController().signal } = this.#options
    try {
      while (!signal.aborted) {
        const { events, next } = await this.#page()
        yield* events
        this.#cursor = next
        if (events.length > 0) continue
        if (!follow) return
        await this.#settings.timing.sleep(everyMs, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  #page(): Promise<EventFeed> {
    const { types, signal } = this.#options
    const query = new URLSearchParams()
    if (this.#cursor !== null) query.set('after', this.#cursor)
    if (types) query.set('type', types.join())
    const path = query.size > 0 ? `/v1/events?${query.toString()}` : '/v1/events'
    const request = { path, idempotencyKey: crypto.randomUUID(), cacheControl: null, spendTag: undefined }
    return sendRequest(this.#settings, request, { signal }, (_headers, body) => readFeed(body))
  }
}

function readFeed(body: string): EventFeed | null {
  const feed = parseObject(body)
  if (!feed || !Array.isArray(feed['events']) || typeof feed['next'] !== 'string') return null
  return feed as unknown as EventFeed
}
