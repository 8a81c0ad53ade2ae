import { toCaller, type Caller } from '../accounts/key-cache.ts'
import { highestPrice } from '../credits/prices.ts'
import type { Failure } from '../foundation/failure.ts'
import type { BatchEnd, BatchResult, PendingRow } from '../records/batches/run-batches.ts'
import type { StoredBatch } from '../records/batches/submit-batch.ts'
import type { BatchOptions } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import { lookUpRow, withoutRecord, type RowOf } from './look-up-row.ts'
import { pauseOf, refusalOf, rowFails, type Suspect } from './row-failures.ts'
import { rowMarkHashes } from './row-mark.ts'
import { ResultWriter } from './result-writer.ts'

interface Row extends PendingRow, Suspect {
  /** It is not tried again before this moment. */
  notBefore: number
}

export interface RunOptions {
  node: string
  /** How many rows this batch may have under way now. */
  rowsAtOnce(): number
}

/** These many rows are looked at, at most, before their results are written: the first of those that wait. */
const loadedAtMost = 500
const lookAgainMs = 1_000
const checkKeyMs = 2_000

/** One batch, run by this node until it is done, has to wait, or is taken from it. */
export class BatchRun {
  readonly #deps: BatchDeps
  readonly #batch: StoredBatch
  readonly #options: RunOptions
  readonly #rowOf: RowOf
  readonly #price: number
  readonly #writer: ResultWriter
  #waiting: Row[] = []
  #lastRead = 0
  #inFlight = 0
  #spent: number
  #caller: Caller | null = null
  #callerReadAt = -Infinity
  /** Providers' answers of this run, and failures since the last of them. */
  #answers = 0
  #failures = 0
  #end: BatchEnd | null = null
  #stopped = false
  #change = Promise.withResolvers<void>()

  constructor(deps: BatchDeps, batch: StoredBatch, options: RunOptions) {
    this.#deps = deps
    this.#batch = batch
    this.#options = options
    // Written by the submission.
    const settings = JSON.parse(batch.options) as BatchOptions
    this.#rowOf = { publicId: batch.public_id, kind: batch.kind, options: settings }
    const asked = { kind: batch.kind, bypass: settings.bypassCache }
    this.#price = highestPrice(deps.lookup.rules.prices, asked)
    this.#spent = batch.credits
    this.#writer = new ResultWriter(deps, batch.id, () => this.stop())
  }

  /** Ends the run after the rows that are under way. */
  stop(): void {
    this.#stopped = true
    this.#signal()
  }

  async run(): Promise<void> {
    try {
      while (!this.#stopped && !this.#end && (await this.#step()));
      while (this.#inFlight > 0) await this.#change.promise
      await this.#writer.flush()
      if (!this.#stopped && !this.#end) await this.#writer.complete()
    } finally {
      const { id } = this.#batch
      this.#writer.close()
      await this.#deps.store.leaveBatch({ id, node: this.#options.node, end: this.#end ?? { status: 'running' } })
    }
  }

  /** Starts one row, or waits until something has changed; false when there is nothing left to do. */
  async #step(): Promise<boolean> {
    const caller = await this.#readCaller()
    if (!caller) return false
    await this.#load()
    if (this.#waiting.length === 0 && this.#inFlight === 0) return this.#loadRest()
    const now = this.#deps.clock.now()
    const next = this.#mayStart() ? this.#waiting.findIndex(({ notBefore }) => notBefore <= now) : -1
    const [row] = next < 0 ? [] : this.#waiting.splice(next, 1)
    if (!row) await this.#wait(lookAgainMs)
    else if (!this.#isAffordable()) await this.#waitForCredits(row)
    else if (await this.#inPace(caller)) void this.#look(caller, row)
    else this.#waiting.unshift(row)
    return true
  }

  #mayStart(): boolean {
    const isProbing = this.#batch.backoffs > 0 && this.#answers === 0
    const atOnce = isProbing ? 1 : this.#options.rowsAtOnce()
    return this.#inFlight < atOnce && !this.#deps.guard.overloaded
  }

  #isAffordable(): boolean {
    const { max_credits: most } = this.#batch
    return most === null || this.#spent + (this.#inFlight + 1) * this.#price <= most
  }

  /** A row that is under way may turn out to cost nothing. */
  async #waitForCredits(row: Row): Promise<void> {
    this.#waiting.unshift(row)
    if (this.#inFlight > 0) return this.#wait(lookAgainMs)
    this.#end = this.#pause('max_credits_reached', null)
  }

  /** Its own share of the key's rate limit, counted apart: other calls of the key are never refused because of a batch. */
  async #inPace({ keyId, rate }: Caller): Promise<boolean> {
    const limit = Math.max(1, Math.floor(rate.limit * this.#deps.rules.share))
    const { allowed, resetSeconds } = await this.#deps.limiter.take(`batch/${keyId}`, { ...rate, limit })
    if (!allowed) await this.#wait(Math.min(resetSeconds * 1_000, lookAgainMs))
    return allowed
  }

  /** The key as it is now. One that may not go on pauses the batch, or fails it where that is for good. */
  async #readCaller(): Promise<Caller | null> {
    const now = this.#deps.clock.now()
    if (this.#caller && Math.abs(now - this.#callerReadAt) < checkKeyMs) return this.#caller
    const row = await this.#deps.store.keyOfBatch({ batchId: this.#batch.id })
    this.#caller = row && toCaller(row, this.#deps.defaultRate)
    this.#callerReadAt = now
    const refusal = refusalOf(this.#caller, this.#rowOf, now)
    if (refusal?.isFinal)
      this.#end = { status: 'failed', reason: refusal.code, at: now, expiresAt: now + this.#deps.rules.keptMs }
    else if (refusal) this.#end = this.#pause(refusal.code, now + pauseOf(refusal.code, 0, null))
    return refusal ? null : this.#caller
  }

  async #load(): Promise<void> {
    const loaded = this.#waiting.length + this.#inFlight + this.#writer.waiting
    if (loaded > loadedAtMost / 2) return
    const { id } = this.#batch
    const isFirst = this.#lastRead === 0
    const read = await this.#deps.store.pendingBatchRows({ id, after: this.#lastRead, limit: loadedAtMost - loaded })
    this.#lastRead = read.at(-1)?.number ?? this.#lastRead
    const rows = isFirst ? await this.#paidFirst(read) : read
    this.#waiting.push(...rows.map((row) => ({ ...row, attempts: 0, answersBefore: 0, notBefore: 0 })))
  }

  /** Results that wait to be written may have kept further rows out. */
  async #loadRest(): Promise<boolean> {
    await this.#writer.flush()
    await this.#load()
    return this.#waiting.length > 0
  }

  /** Rows that were paid for before a crash come first, so that what they cost is known before more is spent. */
  async #paidFirst(rows: PendingRow[]): Promise<PendingRow[]> {
    const { max_credits: most, account_id: accountId, public_id: publicId } = this.#batch
    if (most === null || rows.length === 0) return rows
    const numbers = rows.map(({ number }) => number)
    const hashes = rowMarkHashes(this.#deps.lookup.secret, { accountId, publicId }, numbers)
    const paid = new Set(await this.#deps.store.paidBatchMarks({ accountId, hashes }))
    const isPaid = new Set(numbers.filter((_, index) => paid.has(hashes[index] ?? '')))
    return [...rows.filter(({ number }) => isPaid.has(number)), ...rows.filter(({ number }) => !isPaid.has(number))]
  }

  async #look(caller: Caller, row: Row): Promise<void> {
    this.#inFlight++
    try {
      const end = await lookUpRow(this.#deps, caller, this.#rowOf, row)
      if ('failure' in end) this.#failed(row, end.failure)
      else this.#done(end.result, end.asked)
    } catch (error) {
      // The row waits for the next run.
      this.#deps.log.warn(
        { err: error, batch: this.#batch.public_id },
        'a batch could not go on and will be tried again',
      )
      this.#stopped = true
    } finally {
      this.#inFlight--
      this.#signal()
    }
  }

  #done(result: BatchResult, asked: boolean): void {
    this.#spent += result.credits
    if (asked) {
      this.#answers++
      this.#failures = 0
    }
    this.#writer.add(result, asked)
  }

  #failed(row: Row, failure: Failure): void {
    const now = this.#deps.clock.now()
    const fate = rowFails(failure, row, { answers: this.#answers, failingSince: this.#batch.failing_since, now })
    if (fate.is === 'failed') return this.#done(withoutRecord(row, 'failed', failure.code, null), false)
    this.#waiting.push({ ...row, ...fate.row })
    if (fate.is === 'stopped') this.#stopped = true
    if (fate.is === 'refused') this.#callerReadAt = -Infinity
    if (fate.is === 'paused') this.#end ??= this.#pause(failure.code, now + fate.forMs)
    if (fate.is !== 'outage') return
    this.#failures++
    const isProbe = this.#batch.backoffs > 0 && this.#answers === 0
    if (this.#failures < 3 && !isProbe) return
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
    return { status: 'paused', reason, resumeAt, backoffs, failingSince: isOutage ? this.#batch.failing_since : null }
  }

  #signal(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Resolves when a row has ended, the run is stopped, or so much time has passed. */
  async #wait(ms: number): Promise<void> {
    const { promise } = this.#change
    const timer = setTimeout(() => this.#signal(), ms)
    await promise
    clearTimeout(timer)
  }
}
