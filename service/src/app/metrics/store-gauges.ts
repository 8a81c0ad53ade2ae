import type { WebhookStore } from '../../events/webhooks/operations.ts'
import type { ResidueStore } from '../../lifecycle/store/operations.ts'
import type { CreditStore } from '../../credits/operations.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { Gauge, Registry } from '@prometheus-io/client'
import { utcMonth, type Clock } from '../../foundation/clock.ts'
import { bytesGoneBy } from '../../lifecycle/erasure/rewrites.ts'
import type { CallCounts } from '../../providers/call-counts.ts'

interface Deps {
  store: {
    credits: Pick<CreditStore, 'creditGauges'>
    webhooks: Pick<WebhookStore, 'webhookGauges'>
    residue: Pick<ResidueStore, 'bytesLeft'>
  }
  callCounts: Pick<CallCounts, 'states'>
  clock: Clock
  /** The monthly call limit of each provider; null = no limit. */
  budgets: readonly { provider: string; budget: number | null }[]
  /** Null if no Redis is configured. */
  redisConnected: (() => boolean) | null
  /** Null if there is only one clock. */
  clockAheadMs: (() => number) | null
  /** Null if the store's disk is elsewhere. */
  disk: { readonly freeBytes: number; logBytes(): number } | null
  /** When tables with deleted rows are rewritten; null on the embedded engine, which rewrites nothing. */
  rewriteAtMs: number | null
  /** Null if no backups are scheduled. */
  backup: { everyMs: number; newestAt: () => number | null } | null
}

/** At most this many environments are shown, those with the fewest credits. */
const environmentsAtMost = 1_000
const withinMs = 2_000

/** The gauges that are read when Prometheus scrapes: from the store, the Redis connection and the folder of backups. */
export class StoreGauges {
  readonly #deps: Deps
  readonly #registry = new Registry()
  readonly #ofStore = new Registry()
  readonly #credits = this.#gauge('vitae_credits_available', 'Credits an environment can still spend', ['environment'])
  readonly #holds = this.#gauge('vitae_holds_open', 'Holds of calls that run', [])
  readonly #calls = this.#gauge('vitae_provider_month_calls', 'Calls to a provider in this UTC month', ['provider'])
  readonly #budget = this.#gauge('vitae_provider_budget_calls', 'Calls a provider may have per month', ['provider'])

  readonly #rewrite: Gauge | null

  readonly #unsent = this.#gauge('vitae_webhook_oldest_unsent_seconds', 'How long the oldest event has waited', [])
  readonly #paused = this.#gauge('vitae_webhooks_paused', 'Webhooks that are paused', [])
  readonly #parked = this.#gauge(
    'vitae_webhook_events_parked',
    'Events given up for a webhook; 1,000 is the highest',
    [],
  )

  constructor(deps: Deps) {
    this.#deps = deps
    const { redisConnected, backup, disk, clock, clockAheadMs, rewriteAtMs } = deps
    const late = 'How long the bytes of erased rows have been overdue in the files of PostgreSQL; 0: not'
    this.#rewrite = rewriteAtMs === null ? null : this.#gauge('vitae_rewrite_overdue_seconds', late, [])
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({ name, help, registers: [this.#registry], collect: set(read) })
    if (redisConnected) gauge('vitae_redis_connected', '1 while Redis is connected', () => Number(redisConnected()))
    const ahead = "How far this node's clock is ahead of the database's; negative: behind"
    if (clockAheadMs) gauge('vitae_clock_ahead_seconds', ahead, () => clockAheadMs() / 1_000)
    if (disk) gauge('vitae_disk_free_bytes', 'Room on the disk of the store', () => disk.freeBytes)
    const log = 'Size of the write-ahead log of the store; it is cut to 64 MB when it starts over'
    if (disk) gauge('vitae_store_log_bytes', log, () => disk.logBytes())
    if (!backup) return
    const age = () => (clock.now() - (backup.newestAt() ?? -Infinity)) / 1_000
    gauge('vitae_backup_age_seconds', 'Age of the last good backup', age)
    gauge('vitae_backup_every_seconds', 'How often a backup is made', () => backup.everyMs / 1_000)
  }

  /** The text that Prometheus scrapes. While the store does not answer, its gauges are left out. */
  async text(): Promise<string> {
    const late = pause(withinMs, false, { ref: false })
    const isRead = await Promise.race([this.#read().catch(() => false), late])
    return `${await this.#registry.metrics()}${isRead ? await this.#ofStore.metrics() : ''}`
  }

  async #read(): Promise<true> {
    const { store, callCounts, clock, budgets } = this.#deps
    const { environments, holds } = await store.credits.creditGauges({ limit: environmentsAtMost })
    const used = await callCounts.states(utcMonth(clock.now()))
    const webhooks = await store.webhooks.webhookGauges({ now: clock.now() })
    await this.#readRewrite()
    this.#unsent.set(webhooks.oldestMs / 1_000)
    this.#paused.set(webhooks.paused)
    this.#parked.set(webhooks.parked)
    for (const gauge of [this.#credits, this.#calls, this.#budget]) gauge.reset()
    this.#holds.set(holds)
    for (const { id, available } of environments) this.#credits.set({ environment: String(id) }, available)
    for (const { provider, budget } of budgets) {
      this.#calls.set({ provider }, used.find((one) => one.provider === provider)?.calls ?? 0)
      if (budget !== null) this.#budget.set({ provider }, budget)
    }
    return true
  }

  async #readRewrite(): Promise<void> {
    const { store, clock, rewriteAtMs } = this.#deps
    if (rewriteAtMs === null) return
    const waiting = await store.residue.bytesLeft(null)
    const overdueMs = waiting ? clock.now() - bytesGoneBy(waiting.since, rewriteAtMs) : 0
    this.#rewrite?.set(Math.max(0, overdueMs) / 1_000)
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#ofStore] })
  }
}

function set(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read())
  }
}
