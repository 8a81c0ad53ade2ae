import { randomUUID } from 'node:crypto'
import type { Store } from '../../database/store.ts'
import type { Log } from '../../foundation/log.ts'
import type { WebhookOperations } from './operations.ts'
import type { SenderLease } from './store/sender-lease.ts'
import { attemptDelivery, type AttemptDeps } from './attempt.ts'

interface Deps extends AttemptDeps {
  store: Store<WebhookOperations>
  log: Log
  /**
   * Awaited after each delivery for a project, so that a backlog uses only part of a core, however many endpoints it is
   * for.
   */
  pace: { wait(project: string): Promise<void> | null }
  /** The id of this process among all that share the store. The embedded engine has one, whatever its process. */
  holder?: string
}

/**
 * Finds work that nothing announces: retries, events that other nodes wrote while Redis is lost, the work of a dead
 * process.
 */
const pollMs = 5_000
/** Events written within this time are handled together. */
const gatherMs = 50
/** Longer than an attempt may take, so that work is not taken over while a sender waits for a slow receiver. */
const leaseMs = 20_000

/**
 * Notifies endpoints of events. One process sends at a time. Each endpoint gets its events one after another, and
 * endpoints do not wait for each other. A failed event is recorded before the next one is sent: with its own retries
 * or, if the order is kept, as the next one. So an event may arrive twice, but is never left out.
 */
export class WebhookSender {
  readonly #deps: Deps
  readonly #holder: string
  readonly #running = new Map<string, Promise<void>>()
  /** The position up to which an endpoint had no events. It is kept only in memory and costs no write. */
  readonly #nothingUpTo = new Map<string, number>()
  readonly #stop = new AbortController()
  /** Endpoints that may have more events than the delivery in progress has seen. */
  readonly #again = new Set<string>()
  #timer: NodeJS.Timeout | null = null
  #waking: NodeJS.Timeout | null = null
  #round: Promise<void> | null = null
  /** Null while another process sends. */
  #lease: SenderLease | null = null

  constructor(deps: Deps) {
    this.#deps = deps
    this.#holder = deps.holder ?? randomUUID()
  }

  /** Starts to check for events: when woken, and periodically. */
  start(everyMs = pollMs): void {
    this.#timer ??= setInterval(() => void this.#look(), everyMs).unref()
  }

  /** Events were written, or an endpoint is to be retried. If another process sends, `notifyOthers` is called. */
  wake(notifyOthers?: () => Promise<void>): void {
    if (this.#timer === null || this.#waking) return
    const look = async () => {
      this.#waking = null
      // A round in progress may have read before the events were written.
      await this.#round
      await this.#look()
      if (!this.#lease) await notifyOthers?.()
    }
    this.#waking = setTimeout(() => void look(), gatherMs).unref()
  }

  /** Checks once; resolves when everything due has been tried. */
  async once(): Promise<void> {
    await this.#look()
    await Promise.all(this.#running.values())
  }

  /** Stops. A delivery in progress is aborted and sent again by the next sender. */
  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    if (this.#waking) clearTimeout(this.#waking)
    this.#timer = null
    this.#stop.abort()
    await this.#round
    await Promise.all(this.#running.values())
    if (this.#lease) await this.#deps.store.endWebhookLease({ holder: this.#holder })
    this.#lease = null
  }

  #look(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve()
    this.#round ??= this.#startDue().finally(() => (this.#round = null))
    return this.#round
  }

  async #startDue(): Promise<void> {
    const { store, clock, log } = this.#deps
    try {
      const work = await store.takeWebhookWork({ holder: this.#holder, leaseMs, now: clock.now() })
      this.#lease = work?.lease ?? null
      for (const { id, position, hasRetry } of work?.endpoints ?? []) {
        const seen = Math.max(position, this.#nothingUpTo.get(id) ?? 0)
        const isDue = hasRetry || seen < (work?.newest ?? 0)
        if (!isDue) continue
        if (this.#running.has(id)) this.#again.add(id)
        else this.#running.set(id, this.#deliver(id))
      }
    } catch (error) {
      // A process that cannot reach the store cannot keep the lease either.
      this.#lease = null
      log.warn({ err: error }, 'webhooks: could not read the events to send; retrying')
    }
  }

  /** Notifies one endpoint of everything that waits for it, until it must pause. */
  async #deliver(id: string): Promise<void> {
    try {
      // A new event first: after a failure it shows whether the receiver accepts others.
      let retryFirst = false
      while (this.#lease && !this.#stop.signal.aborted) {
        this.#again.delete(id)
        const sent = await this.#deliverNext(id, this.#lease, retryFirst)
        if (sent === null && !this.#again.has(id)) return
        retryFirst = sent === 'new'
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, webhook: id }, 'webhooks: could not record a delivery; it is sent again')
    } finally {
      this.#running.delete(id)
    }
  }

  /** The kind of delivery that was tried; null if nothing is left to do now. */
  async #deliverNext(id: string, lease: SenderLease, retryFirst: boolean): Promise<'new' | 'retry' | null> {
    const { store, clock } = this.#deps
    const after = this.#nothingUpTo.get(id) ?? 0
    const found = await store.nextWebhookDelivery({ id, lease, after, retryFirst, now: clock.now() })
    if (!found) return null
    if (!found.next) {
      this.#nothingUpTo.set(id, found.newest)
      return null
    }
    const { webhook, next } = found
    await attemptDelivery(this.#deps, { webhook, kind: 'event', lease, ...next }, this.#stop.signal)
    await this.#deps.pace.wait(webhook.project)
    return next.position === null ? 'retry' : 'new'
  }
}
