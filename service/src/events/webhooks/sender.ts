import type { WebhookStore } from './operations.ts'
import { randomUUID } from 'node:crypto'
import type { Log } from '../../foundation/log.ts'
import type { WebhookWork } from './store/delivery-operations.ts'
import type { Lease, LeaseStore } from '../../work/leases.ts'
import type { Scheduler } from '../../foundation/pacing/scheduler.ts'
import { Runner } from '../../work/runner.ts'
import { attemptDelivery, type AttemptDeps } from './attempt.ts'

interface Deps extends AttemptDeps {
  store: {
    webhooks: WebhookStore
    leases: LeaseStore
  }
  log: Log
  /** Orders deliveries beside other background work: the endpoints of a project have one lane. */
  scheduler: Pick<Scheduler, 'turn'>
}

/**
 * Finds work that nothing announces: retries, events that other nodes wrote while Redis is lost, the work of a dead
 * process.
 */
const pollMs = 5_000
/** The cost of a delivery for the scheduler: 50 a second beside busy callers, 90 on an idle node. */
const deliveryMs = 4
/** Events written within this time are handled together. */
const gatherMs = 50
/** Longer than an attempt may take, so that work is not taken over while a sender waits for a slow receiver. */
const leaseMs = 20_000

/**
 * Notifies endpoints of events. One process sends at a time. Each endpoint gets its events one after another, and
 * endpoints do not wait for each other. A failed event gets its own retries before the next one is sent. So an event
 * may arrive twice, but is never left out.
 */
export class WebhookSender {
  readonly #deps: Deps
  readonly #holder = randomUUID()
  readonly #runner: Runner<string>
  /** The position up to which an endpoint had no events. It is kept only in memory and costs no write. */
  readonly #nothingUpTo = new Map<string, number>()
  #lease: Lease | null = null
  /** Set until the next claim by a wake-up of this process. */
  #notifyOthers: (() => Promise<void>) | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    const claim = () => this.#claim()
    const run = (id: string, stop: AbortSignal) => this.#deliver(id, stop)
    this.#runner = new Runner({ name: 'webhooks', everyMs: pollMs, gatherMs, claim, keyOf: (id) => id, run }, deps.log)
  }

  /** Starts to check for events: when woken, and periodically. */
  start(everyMs = pollMs): void {
    this.#runner.start(everyMs)
  }

  /** Events were written, or an endpoint is to be retried. If another process sends, `notifyOthers` is called. */
  wake(notifyOthers?: () => Promise<void>): void {
    this.#notifyOthers ??= notifyOthers
    this.#runner.wake()
  }

  /** Checks once; resolves when everything due has been tried. */
  once(): Promise<void> {
    return this.#runner.once()
  }

  /** Stops. A delivery in progress is aborted and sent again by the next sender. */
  async close(): Promise<void> {
    await this.#runner.close()
    if (this.#lease) await this.#deps.store.leases.endLease(this.#lease)
    this.#lease = null
  }

  /** The endpoints that may have something to send; none while another process is the sender. */
  async #claim(): Promise<string[]> {
    const { store, clock } = this.#deps
    const notifyOthers = this.#notifyOthers
    this.#notifyOthers = undefined
    let work: WebhookWork | null = null
    try {
      work = await store.webhooks.takeWebhookWork({
        holder: this.#holder,
        held: this.#lease,
        leaseMs,
        now: clock.now(),
      })
    } finally {
      // A process that cannot reach the store cannot keep the lease either.
      this.#lease = work?.lease ?? null
      if (!work) await notifyOthers?.()
    }
    const { endpoints = [], newest = 0 } = work ?? {}
    const isDue = ({ id, position, hasRetry }: (typeof endpoints)[number]) =>
      hasRetry || Math.max(position, this.#nothingUpTo.get(id) ?? 0) < newest
    return endpoints.filter(isDue).map(({ id }) => id)
  }

  /** Notifies one endpoint of everything that waits for it, until it must pause. */
  async #deliver(id: string, stop: AbortSignal): Promise<void> {
    // A new event first: after a failure it shows whether the receiver accepts others.
    let retryFirst = false
    while (this.#lease && !stop.aborted) {
      const sent = await this.#deliverNext(id, this.#lease, retryFirst, stop)
      if (sent === null) return
      retryFirst = sent === 'new'
    }
  }

  /** The kind of delivery that was tried; null if nothing is left to do now. */
  async #deliverNext(
    id: string,
    lease: Lease,
    retryFirst: boolean,
    stop: AbortSignal,
  ): Promise<'new' | 'retry' | null> {
    const { store, clock } = this.#deps
    const after = this.#nothingUpTo.get(id) ?? 0
    const found = await store.webhooks.nextWebhookDelivery({ id, lease, after, retryFirst, now: clock.now() })
    if (!found) return null
    if (!found.next) {
      this.#nothingUpTo.set(id, found.newest)
      return null
    }
    const { webhook, next } = found
    await attemptDelivery(this.#deps, { webhook, kind: 'event', lease, ...next }, stop)
    await this.#deps.scheduler.turn(`webhooks of ${webhook.project}`, () => deliveryMs)
    return next.position === null ? 'retry' : 'new'
  }
}
