import { receiveBy, type Posted } from './own-network.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** How a receiver takes a request. Late: it takes the event, and its answer comes when nobody waits for it any more. */
export const receptions = ['accept', 'accept', 'accept', 'refuse', 'fail', 'reset', 'hang', 'late'] as const
export type Reception = (typeof receptions)[number]

interface Waiting extends Posted {
  /** The node that sent it. */
  by: Owner | undefined
  endpoint: string
  event: string
}

/** The one that is always well. */
export const wellName = 'well'
/** Endpoints of one environment: one that is always well, and two that take requests as the scheduler has them. */
export const endpointNames = [wellName, 'flaky', 'strict'] as const

/** The receivers of webhooks. */
export class Receivers {
  /** In the order in which they were taken. */
  readonly accepted: { endpoint: string; event: string }[] = []
  /** The endpoint that was sent an event before the one before it had ended. */
  sentTwoAtOnce: string | null = null
  /** Those that have no answer yet; some never get one. */
  #open = new Set<Waiting>()
  #silent = new Set<Waiting>()

  constructor(time: Pick<VirtualTime, 'owner'>) {
    receiveBy((posted) => this.#receive(posted, time.owner))
  }

  /** How many requests somebody may answer. */
  get waiting(): number {
    return this.#answerable.length
  }

  /** How many requests are under way. */
  get underWay(): number {
    return this.#open.size
  }

  /** One of those that wait is taken in some way. */
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

  /** The process is dead: nobody waits for answers any more. */
  forget(owner: Owner): void {
    for (const one of this.#open) if (one.by === owner) this.#gone(one)
  }

  /** A node that is frozen reads no answer. */
  get #answerable(): Waiting[] {
    return [...this.#open].filter((one) => !this.#silent.has(one) && !one.by?.isFrozen)
  }

  /** What a node had sent before its lease ended may be open beside what the next one sends. */
  #receive(posted: Posted, by: Owner | undefined): { gone(): void } {
    const endpoint = posted.url.pathname.slice(1)
    const waiting = { ...posted, by, endpoint, event: posted.headers['webhook-id'] ?? '' }
    if ([...this.#open].some((one) => one.endpoint === endpoint && one.by === by)) this.sentTwoAtOnce ??= endpoint
    this.#open.add(waiting)
    return { gone: () => this.#gone(waiting) }
  }

  #gone(waiting: Waiting): void {
    this.#open.delete(waiting)
    this.#silent.delete(waiting)
  }
}
