import { setImmediate as nextTurn } from 'node:timers/promises'
import { isLockTimeout } from '../database/lost-connection.ts'
import { Failure } from '../foundation/failure.ts'
import { settleBatch, type Entry, type SettleStore } from './settle-batch.ts'
import type { Decision, SettleRequest } from './settlement-requests.ts'
import type { Outcome } from './store/settlement-wire.ts'

interface Options {
  /** How many batches may be in flight; one account is in at most one of them. */
  batchesAtOnce?: number
  onBatch?(size: number, ms: number): void
  /** Resolves when those who are known to be on their way here have come as far as they can; null where there are none. */
  arriving?(): Promise<unknown> | null
}

/** The requests of one account that wait, in the order in which they came. */
interface AccountLine {
  accountId: number
  waiting: Entry[]
  inFlight: boolean
  /** Another transaction had the account: its next batch is its own and waits for the lock. */
  contended: boolean
  /** The lock did not come in time: until this moment nobody waits for it again. */
  stuckUntil: number
}

/** What is taken out of the lines for one batch. */
interface Part {
  line: AccountLine
  entries: Entry[]
}

const waitingAtMost = 20_000
const batchAtMost = 1_000
const stuckMs = 1_000
const crowd = 16
const turnsAtMost = 16
const waitsAtMost = 2

/**
 * Group commit: all that arrive while a batch is in flight form the next one. On PostgreSQL several are in flight, and none
 * waits for an account that another transaction has locked: such an account gets a batch of its own, which waits, and
 * where the lock does not come in time its requests fail alone.
 */
export class SettlementQueue {
  readonly #store: SettleStore
  readonly #options: Options
  readonly #lines = new Map<number, AccountLine>()
  readonly #ready = new Set<AccountLine>()
  readonly #readyAlone = new Set<AccountLine>()
  #unanswered = 0
  #pending = 0
  /** Of them, stored answers. */
  #charges = 0
  #shared = 0
  #alone = 0
  #gathering = false
  #lastSize = 0
  #lastCharges = 0

  constructor(store: SettleStore, options: Options = {}) {
    this.#store = store
    this.#options = options
  }

  /** Resolves when the batch that the request went with is durable. */
  readonly settle = (request: SettleRequest): Promise<Decision> => {
    if (this.#unanswered >= waitingAtMost) return Promise.reject(new Failure('overloaded', { retryAfterSeconds: 1 }))
    this.#unanswered += 1
    return new Promise((resolve, reject) => {
      const line = this.#lineOf(request.accountId)
      line.waiting.push({ request, maybeDone: false, resolve, reject })
      this.#pending += 1
      if (request.type === 'charge') this.#charges += 1
      this.#makeReady(line)
      void this.#start()
    })
  }

  #lineOf(accountId: number): AccountLine {
    const known = this.#lines.get(accountId)
    if (known) return known
    const line = { accountId, waiting: [], inFlight: false, contended: false, stuckUntil: 0 }
    this.#lines.set(accountId, line)
    return line
  }

  #makeReady(line: AccountLine): void {
    if (line.inFlight) return
    if (line.waiting.length > 0) (line.contended ? this.#readyAlone : this.#ready).add(line)
    else if (line.stuckUntil < performance.now()) this.#lines.delete(line.accountId)
  }

  async #start(): Promise<void> {
    const { batchesAtOnce = 1 } = this.#options
    const mayShare = () => this.#shared < batchesAtOnce && this.#ready.size > 0
    if (!this.#gathering && mayShare()) {
      if (this.#lastSize >= crowd) await this.#gather()
      if (mayShare()) void this.#settleShared(this.#takeShared())
    }
    for (const line of this.#readyAlone) {
      if (this.#alone >= batchesAtOnce) return
      void this.#settleAlone(this.#take(line, batchAtMost))
    }
  }

  /**
   * In a crowd, those who have just been answered are back at once: a batch that waits for them, as long as every turn of
   * the loop brings some or some are known to arrive, is twice as large and costs little more. Without a crowd nobody is
   * waited for, and a stored answer waits for no crowd of fetches.
   */
  async #gather(): Promise<void> {
    this.#gathering = true
    const isOfCharges = this.#lastCharges >= crowd
    let before = 0
    let waits = 0
    for (let turns = 0; turns < turnsAtMost; turns++) {
      if (!isOfCharges && this.#charges > 0) break
      const arrived = isOfCharges ? this.#charges : this.#pending
      const others = waits < waitsAtMost ? (this.#options.arriving?.() ?? null) : null
      if (!others && arrived <= before) break
      before = arrived
      if (others) waits += 1
      await others
      await nextTurn()
    }
    this.#gathering = false
  }

  #takeShared(): Part[] {
    const parts: Part[] = []
    let left = batchAtMost
    for (const line of this.#ready) {
      if (left === 0) break
      const part = this.#take(line, left)
      left -= part.entries.length
      parts.push(part)
    }
    return parts
  }

  #take(line: AccountLine, most: number): Part {
    this.#ready.delete(line)
    this.#readyAlone.delete(line)
    line.inFlight = true
    const entries = line.waiting.length > most ? line.waiting.splice(0, most) : line.waiting
    if (entries === line.waiting) line.waiting = []
    this.#count(-1, entries)
    return { line, entries }
  }

  async #settleShared(parts: Part[]): Promise<void> {
    this.#shared += 1
    this.#lastSize = parts.reduce((sum, { entries }) => sum + entries.length, 0)
    this.#lastCharges = parts.reduce((sum, { entries }) => sum + chargesIn(entries), 0)
    const locked = new Set(await this.#settle(parts, false))
    this.#shared -= 1
    for (const part of parts) {
      if (locked.has(part)) this.#comeBackAlone(part)
      else part.line.stuckUntil = 0
    }
    this.#end(parts)
  }

  async #settleAlone(part: Part): Promise<void> {
    const { line } = part
    this.#alone += 1
    const [locked] = await this.#settle([part], true)
    this.#alone -= 1
    // As long as more of the account wait, others want it too, and it goes on alone.
    line.contended = !locked && line.waiting.length > 0
    if (locked) this.#failStuck(part)
    this.#end([part])
  }

  #end(parts: readonly Part[]): void {
    for (const { line } of parts) {
      line.inFlight = false
      this.#makeReady(line)
    }
    void this.#start()
  }

  #comeBackAlone({ line, entries }: Part): void {
    const isStuck = performance.now() < line.stuckUntil
    // What may have been committed is asked about in any case.
    if (isStuck && !entries.some(({ maybeDone }) => maybeDone)) return this.#failAll(entries)
    line.contended = true
    line.waiting.unshift(...entries)
    this.#count(1, entries)
  }

  #failStuck({ line, entries }: Part): void {
    line.stuckUntil = performance.now() + stuckMs
    this.#count(-1, line.waiting)
    this.#failAll([...entries, ...line.waiting])
    line.waiting = []
  }

  #count(sign: 1 | -1, entries: readonly Entry[]): void {
    this.#pending += sign * entries.length
    this.#charges += sign * chargesIn(entries)
  }

  #failAll(entries: readonly Entry[]): void {
    for (const entry of entries) this.#reject(entry, new Failure('store_unavailable', { retryAfterSeconds: 1 }))
  }

  /** Settles a batch and answers its requests. Returns the parts whose lock could not be had. */
  async #settle(parts: readonly Part[], wait: boolean): Promise<Part[]> {
    const entries = parts.flatMap((part) => part.entries)
    const started = performance.now()
    try {
      const outcomes = (await settleBatch(this.#store, entries, wait)).values()
      return parts.filter(
        (part) => part.entries.filter((entry) => this.#isBusy(entry, outcomes.next().value)).length > 0,
      )
    } catch (error) {
      if (isLockTimeout(error)) return [...parts]
      for (const entry of entries) this.#reject(entry, error)
      return []
    } finally {
      this.#options.onBatch?.(entries.length, performance.now() - started)
    }
  }

  /** Whether the request must be asked for again; otherwise it is answered. */
  #isBusy(entry: Entry, outcome: Outcome | undefined): boolean {
    if (outcome?.outcome === 'busy') return true
    if (outcome) {
      this.#unanswered -= 1
      entry.resolve(outcome)
    } else {
      this.#reject(entry, new Error('a batch answered fewer requests than it was given'))
    }
    return false
  }

  #reject(entry: Entry, error: unknown): void {
    this.#unanswered -= 1
    entry.reject(error)
  }
}

function chargesIn(entries: readonly Entry[]): number {
  let count = 0
  for (const { request } of entries) if (request.type === 'charge') count += 1
  return count
}
