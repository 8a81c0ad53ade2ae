import type { Caller } from '../../accounts/caller.ts'
import type { CompiledBook } from '../../credits/prices/compiled-book.ts'
import type { Failure } from '../../foundation/failure.ts'
import { priceAsk } from '../../lookup/payment/pay.ts'
import type { BatchEnd } from '../store/end-batches.ts'
import type { BatchResult } from '../store/run-batches.ts'
import type { StoredBatch } from '../store/submit-batch.ts'
import { BatchKey, type Refusal } from './batch-key.ts'
import { optionsOf } from '../rows/batch-settings.ts'
import { laneOf } from '../input/uploads.ts'
import type { BatchDeps } from '../rows/deps.ts'
import { lookupsOfBatch } from '../rows/batch-lookups.ts'
import { lookUpRow, rowFailure, withoutRecord, type RowOf } from '../rows/look-up-row.ts'
import { countErasedRows, paidRows } from './paid-rows.ts'
import { type Beat, rowMs } from './pace.ts'
import { pauseOf, rowFails } from './row-failures.ts'
import { ResultWriter } from './result-writer.ts'
import { RowQueue, type WaitingRow } from './row-queue.ts'

export interface RunOptions {
  /** How many rows of this batch may be in progress now. */
  rowsAtOnce(): number
  /** Lets the rows of this node take their steps together. */
  beat: Beat
  /** Aborts when the run is to end after the rows in progress. */
  stop: AbortSignal
}

const checkAgainMs = 1_000
/** This many consecutive rows that fail at the provider count as an outage. */
const outageAfter = 3

/** One batch, run by this node until it is done, paused, or taken over. */
export class BatchRun {
  readonly #deps: BatchDeps
  readonly #batch: StoredBatch
  readonly #options: RunOptions
  readonly #rowOf: RowOf
  readonly #key: BatchKey
  readonly #rows: RowQueue
  readonly #writer: ResultWriter
  #inFlight = 0
  /** The maximum cost of the rows in progress. */
  #reserved = 0
  /** The number of provider answers in this run, and of failures since the last one. */
  #answers = 0
  #failures = 0
  #end: BatchEnd | null = null
  #stopped = false
  #change = Promise.withResolvers<void>()

  constructor(deps: BatchDeps, batch: StoredBatch, options: RunOptions) {
    this.#deps = { ...deps, lookup: lookupsOfBatch(deps, batch, options.beat) }
    this.#batch = batch
    this.#options = options
    const settings = optionsOf(batch)
    this.#rowOf = { publicId: batch.public_id, kind: batch.kind, options: settings, lease: batch.lease }
    this.#key = new BatchKey(deps, batch.id, this.#rowOf)
    this.#rows = new RowQueue(deps, batch)
    this.#writer = new ResultWriter(deps, batch, () => this.#stop())
  }

  async run(): Promise<void> {
    const { stop } = this.#options
    stop.addEventListener('abort', () => this.#stop(), { once: true })
    if (stop.aborted) this.#stop()
    try {
      this.#writer.beginAt(await countErasedRows(this.#deps, this.#batch))
      while (!this.#stopped && !this.#end && (await this.#step()));
      while (this.#inFlight > 0) await this.#change.promise
      await this.#writer.flush()
      if (!this.#stopped && !this.#end) await this.#writer.complete()
    } finally {
      const { public_id: publicId, lease } = this.#batch
      this.#writer.close()
      await this.#deps.store.batches.leaveBatch({ publicId, lease, end: this.#end ?? { status: 'running' } })
    }
  }

  /** Starts some rows, or waits until something changes; false if nothing is left to do. */
  async #step(): Promise<boolean> {
    const key = await this.#key.look()
    if ('refusal' in key) return this.#refused(key.refusal)
    await this.#fill()
    if (this.#rows.isEmpty && this.#inFlight === 0) return this.#fillRest()
    // A row's maximum cost uses the same book as its charge, even if the next book begins meanwhile.
    const book = this.#deps.lookup.prices.at(this.#deps.clock.now())
    let costMs = 0
    if (this.#mayStart()) await this.#turn(() => costMs)
    let row: WaitingRow | null = null
    while (this.#mayStart() && (row = this.#rows.take(this.#deps.clock.now()))) {
      if (!this.#isAffordable(this.#mostFor(key.caller, book, row))) break
      costMs += row.input === null ? rowMs.matched : rowMs.stored
      void this.#look(key.caller, row, book)
      row = null
    }
    if (row) await this.#waitForCredits(row, this.#mostFor(key.caller, book, row))
    else if (costMs === 0) await this.#wait(checkAgainMs)
    return true
  }

  /** Rows of one environment and its uploads have one lane. */
  #turn(costMs: () => number): Promise<void> {
    const { account_id: environmentId, mode } = this.#batch
    return this.#deps.scheduler.turn(laneOf({ environmentId, mode }), costMs)
  }

  /** A key that may not continue pauses the batch, or fails it if that is final. */
  #refused({ code, isFinal }: Refusal): false {
    const at = this.#deps.clock.now()
    this.#end = isFinal
      ? { status: 'failed', reason: code, at, expiresAt: at + this.#deps.rules.keptMs }
      : this.#pause(code, at + pauseOf(code, 0, null))
    return false
  }

  #fill(): Promise<void> {
    return this.#rows.fill(this.#inFlight + this.#writer.waiting)
  }

  /** Results that wait to be written may have kept further rows out of memory. */
  async #fillRest(): Promise<boolean> {
    await this.#writer.flush()
    await this.#fill()
    return !this.#rows.isEmpty
  }

  /** After an outage, one row at a time checks whether the provider is back. */
  get #isProbing(): boolean {
    return this.#batch.backoffs > 0 && this.#answers === 0
  }

  #mayStart(): boolean {
    const atOnce = this.#isProbing ? 1 : this.#options.rowsAtOnce()
    return this.#inFlight < atOnce && !this.#rows.isEmpty && !this.#deps.guard.overloaded
  }

  #isAffordable(price: number): boolean {
    const { max_credits: most } = this.#batch
    if (most === null || price === 0) return true
    const uncounted = [...this.#rows.uncounted.values()].reduce((sum, credits) => sum + credits, 0)
    return this.#writer.spent + uncounted + this.#reserved + price <= most
  }

  /** The highest price of a row; 0 if it was already paid for. */
  #mostFor(caller: Caller, book: CompiledBook, { input, paidRequest }: WaitingRow): number {
    if (paidRequest !== null) return 0
    const { kind, options } = this.#rowOf
    const asked = { identifier: { kind }, freshness: options, include: options.include }
    return book.highest(priceAsk(caller, { ...asked, pricedAs: { by: input === null ? 'match' : 'lookup' } }))
  }

  /** A row in progress may turn out to be free, and a row with the same question may have paid for this one. */
  async #waitForCredits(row: WaitingRow, price: number): Promise<void> {
    const paid = await paidRows(this.#deps, this.#batch, [row])
    const paidRequest = paid.get(row.number)?.requestId ?? null
    this.#rows.putBack({ ...row, paidRequest })
    if (paidRequest !== null) return
    // Rows in progress may have failed meanwhile, and those that lost the reply to their charge must be tried again.
    if (this.#isAffordable(price)) return
    if (this.#inFlight > 0 || this.#rows.hasPaid) return this.#wait(checkAgainMs)
    if (this.#writer.waiting > 0) return this.#writer.flush()
    this.#end = this.#pause('max_credits_reached', null)
  }

  async #look(caller: Caller, row: WaitingRow, book: CompiledBook): Promise<void> {
    const reserved = this.#mostFor(caller, book, row)
    this.#inFlight++
    this.#reserved += reserved
    try {
      const fetchTurn = () => this.#turn(() => rowMs.fetched)
      const end = await lookUpRow(this.#deps, caller, this.#rowOf, row, { book, fetchTurn })
      if ('failure' in end) this.#failed(row, end.failure)
      else this.#done(end.result, end.asked)
    } catch (error) {
      this.#failed(row, rowFailure(this.#deps, this.#rowOf, row, error))
    } finally {
      this.#inFlight--
      this.#reserved -= reserved
      this.#signal()
    }
  }

  #done(result: BatchResult, asked: boolean): void {
    this.#rows.uncounted.delete(result.request_id ?? '')
    if (asked) {
      this.#answers++
      this.#failures = 0
    }
    this.#writer.add(result, asked)
  }

  #failed(row: WaitingRow, failure: Failure): void {
    const now = this.#deps.clock.now()
    const fate = rowFails(failure, row, { answers: this.#answers, failingSince: this.#batch.failing_since, now })
    if (fate.is === 'failed') return this.#done(withoutRecord(row, 'failed', failure.code, null), false)
    this.#rows.putLast({ ...row, ...fate.row })
    if (fate.is === 'stopped') this.#stopped = true
    if (fate.is === 'refused') this.#key.distrust()
    if (fate.is === 'paused') this.#end ??= this.#pause(failure.code, now + fate.forMs)
    if (fate.is === 'outage') this.#noteOutage(failure, now)
  }

  #noteOutage(failure: Failure, now: number): void {
    this.#failures++
    if (this.#failures < outageAfter && !this.#isProbing) return
    const forMs = pauseOf('upstream_unavailable', this.#backoffs, failure)
    this.#end ??= {
      ...this.#pause('upstream_unavailable', now + forMs),
      failingSince: this.#batch.failing_since ?? now,
    }
  }

  get #backoffs(): number {
    return this.#answers > 0 ? 0 : this.#batch.backoffs
  }

  #pause(reason: string, resumeAt: number | null): BatchEnd & { status: 'paused' } {
    const isOutage = reason === 'upstream_unavailable'
    const backoffs = isOutage ? this.#backoffs + 1 : 0
    const failingSince = isOutage ? this.#batch.failing_since : null
    return { status: 'paused', reason, at: this.#deps.clock.now(), resumeAt, backoffs, failingSince }
  }

  /** Ends the run after the rows in progress. */
  #stop(): void {
    this.#stopped = true
    this.#signal()
  }

  #signal(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Resolves when a row has ended, the run is stopped, or the time has passed. */
  async #wait(ms: number): Promise<void> {
    const { promise } = this.#change
    const timer = setTimeout(() => this.#signal(), ms)
    await promise
    clearTimeout(timer)
  }
}
