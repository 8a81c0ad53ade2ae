import { receiveBy, type Posted } from './own-network.ts'
import { exercise } from '../laws/exercises.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/**
 * How a receiver handles a request. Late: it accepts the event, but its response arrives after the sender's timeout.
 */
export const receptions = ['accept', 'accept', 'accept', 'refuse', 'fail', 'reset', 'hang', 'late'] as const
export type Reception = (typeof receptions)[number]

interface Waiting extends Posted {
  /** The node that sent it. */
  by: Owner | undefined
  endpoint: string
  event: string
}

/** The receiver that is always healthy. */
export const wellName = 'well'
/** Endpoints of one environment: one that is always healthy, and two whose responses the scheduler chooses. */
export const endpointNames = [wellName, 'flaky', 'strict'] as const

/** The receivers of webhooks. */
export class Receivers {
  /** In the order of acceptance. */
  readonly accepted: { endpoint: string; event: string }[] = []
  /** The endpoint that got an event before the previous one had finished, if any. */
  sentTwoAtOnce: string | null = null
  /** Requests without a response; some never get one. */
  #open = new Set<Waiting>()
  #silent = new Set<Waiting>()

  constructor(time: Pick<VirtualTime, 'owner'>) {
    receiveBy((posted) => this.#receive(posted, time.owner))
  }

  /** The number of requests that can be answered. */
  get waiting(): number {
    return this.#answerable.length
  }

  /** The number of requests in progress. */
  get underWay(): number {
    return this.#open.size
  }

  /** Handles one of the waiting requests in the given way. */
  take(index: number, how: Reception): void {
    const posted = this.#answerable[index]
    if (!posted) throw new Error('no request waits')
    const { endpoint, event } = posted
    const does = endpoint === wellName ? 'accept' : how
    if (does === 'accept' || does === 'late') this.accepted.push({ endpoint, event })
    if (does === 'late' || does === 'hang') return void this.#silent.add(posted)
    this.#open.delete(posted)
    if (does === 'reset') posted.reset()
    else posted.answer({ accept: 204, refuse: 400, fail: 500 }[does])
  }

  /** The process died: no one waits for its responses any more. */
  forget(owner: Owner): void {
    for (const one of this.#open) if (one.by === owner) this.#gone(one)
  }

  /** Requests of a frozen node are excluded, because it reads no response. */
  get #answerable(): Waiting[] {
    return [...this.#open].filter((one) => !this.#silent.has(one) && !one.by?.isFrozen)
  }

  /** A request that a node sent before its lease expired may still be open beside the next node's. */
  #receive(posted: Posted, by: Owner | undefined): { gone(): void } {
    const endpoint = posted.url.pathname.slice(1)
    const waiting = { ...posted, by, endpoint, event: posted.headers['webhook-id'] ?? '' }
    const isBusy = this.#open.size > 0 || this.accepted.some((one) => one.endpoint === endpoint)
    exercise('an endpoint gets one event at a time', isBusy)
    if ([...this.#open].some((one) => one.endpoint === endpoint && one.by === by)) this.sentTwoAtOnce ??= endpoint
    this.#open.add(waiting)
    return { gone: () => this.#gone(waiting) }
  }

  #gone(waiting: Waiting): void {
    this.#open.delete(waiting)
    this.#silent.delete(waiting)
  }
}
