import type { RecordStore } from '../../records/operations.ts'
import type { CreditStore } from '../../credits/operations.ts'
import type { KeyStore } from '../../accounts/key-operations.ts'
import type { Caller } from '../../accounts/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { BrokenRule } from '../../foundation/failure.ts'
import type { Log } from '../../foundation/log.ts'
import type { EndedCall } from '../../lookup/ended-call.ts'
import type { CallTrace } from '../../lookup/asked/call-trace.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { ServiceStore } from '../store/service-store.ts'

interface Deps {
  store: {
    credits: Pick<CreditStore, 'logCalls'>
    records: Pick<RecordStore, 'saveCallDetails' | 'markUsed'>
    keys: Pick<KeyStore, 'touchKeys'>
  }
  /** Keys the hashes of suppressed identifiers. */
  secret: string
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'callEnded'>
}

type Calls = Parameters<ServiceStore['credits']['logCalls']>[0]['calls']
type Details = Parameters<ServiceStore['records']['saveCallDetails']>[0]['calls']

const flushMs = 500
/** Entries in a write. More would live long enough to burden the garbage collector. */
const flushAt = 512
const waitingAtMost = 100_000
/** Per key, this many rate-limited calls are logged between two writes; the others are only counted. */
const refusalsAtMost = 20
/** Frequent uses are written this often: writing each would cost as much as the calls themselves. */
const writeKeyEveryMs = 10_000
const writeRecordEveryMs = 3_600_000
const rememberedUses = 50_000
/** The number of records marked at once: a longer statement would make calls wait for the store. */
const recordsAtOnce = 500

/**
 * Records every answered call: its metrics, a log line, a row in the call log, and the last use of its key and record.
 * Paid calls have their row from the settlement itself; the rest is written in the background in groups.
 */
export class CallLog {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout
  #waiting: Calls = []
  #details: Details = []
  readonly #refused = new Map<string, Refused>()
  readonly #keys = new Uses<string>(writeKeyEveryMs)
  readonly #records = new Uses<number>(writeRecordEveryMs)
  #flushing: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.#writeDue(), flushMs)
    this.#timer.unref()
  }

  readonly note = (call: EndedCall): void => {
    this.#deps.metrics.callEnded(call)
    const { caller, status, code } = call
    if (code === 'rate_limit_exceeded' && this.#isOneTooMany(call)) return
    this.#logCall(call)
    if (!caller) return
    if (call.trace) this.#explain(call, call.trace)
    else if (call.broken) this.#explainUnread(call, call.broken)
    this.#keys.note(caller.keyId, call.startedAt)
    if (call.entityId !== null) this.#records.note(call.entityId, call.startedAt)
    const paid = caller.mode === 'live' && status === 200 && !call.replay
    if (paid || this.#waiting.length >= waitingAtMost) return
    this.#waiting.push(rowOf(call, caller))
    if (this.#waiting.length === flushAt) void this.#writeDue()
  }

  /** One line per call. A failed call states which provider failed and why. */
  #logCall(call: EndedCall): void {
    const { caller, requestId, kind, status, code, source, durationMs: ms } = call
    const facts = { requestId, keyId: caller?.keyId, kind, status, code, source, ms, ...call.trace?.blame }
    if (status >= 500) this.#deps.log.warn(facts, 'call')
    else this.#deps.log.info(facts, 'call')
  }

  /** The identifier and the course of a call, only for calls that failed or needed more than a fresh stored copy. */
  #explain({ requestId, kind, startedAt, status, source }: EndedCall, trace: CallTrace): void {
    if (status === 200 && source === 'store' && !trace.asked) return
    if (this.#details.length >= waitingAtMost) return
    this.#details.push({
      requestId,
      at: startedAt,
      kind,
      identifier: trace.identifier,
      suppressionHash: suppressionHash(this.#deps.secret, kind, trace.identifier),
      isSuppressed: trace.isSuppressed,
      explanation: trace.explanation(),
    })
  }

  /** An unreadable query: the rules that it broke. */
  #explainUnread({ requestId, kind, startedAt: at }: EndedCall, broken: BrokenRule[]): void {
    if (this.#details.length >= waitingAtMost) return
    const explanation = { freshness: null, attempts: [], cause: null, fetchedBy: null, timings: {}, broken }
    this.#details.push({ requestId, at, kind, identifier: null, suppressionHash: '', isSuppressed: false, explanation })
  }

  /** A flood of refusals must cost neither log lines nor rows; otherwise it slows down other calls. */
  #isOneTooMany(call: EndedCall): boolean {
    const id = `${call.kind}/${call.caller?.keyId ?? ''}`
    const refused = this.#refused.get(id)
    if (refused && refused.noted >= refusalsAtMost) {
      refused.more++
      refused.last = call
      return true
    }
    if (refused) refused.noted++
    else this.#refused.set(id, { noted: 1, more: 0, last: call })
    return false
  }

  /** The refused calls that were only counted, as one line and one row per key. */
  #takeRefused(): void {
    for (const { more, last } of this.#refused.values()) {
      if (more === 0) continue
      const { caller, kind } = last
      this.#deps.log.info({ keyId: caller?.keyId, kind, calls: more }, 'calls over the rate limit, logged as one line')
      if (caller) this.#waiting.push({ ...rowOf(last, caller), repeats: more - 1 })
    }
    this.#refused.clear()
  }

  /** Writes everything that waits. */
  flush(): Promise<void> {
    return this.#writeNow(true)
  }

  #writeDue(): Promise<void> {
    return this.#writeNow(false)
  }

  #writeNow(all: boolean): Promise<void> {
    const now = this.#deps.clock.now()
    this.#takeRefused()
    const calls = this.#waiting
    const details = this.#details
    const keys = this.#keys.take(now, { all })
    const records = this.#records.take(now, { all, atMost: all ? Infinity : recordsAtOnce })
    if (calls.length + details.length + keys.length + records.length === 0) return this.#flushing
    this.#waiting = []
    this.#details = []
    this.#flushing = this.#flushing.then(() => this.#write(calls, details, keys, records))
    return this.#flushing
  }

  /** A failure loses hints, never credits, so it is logged and not retried. */
  async #write(calls: Calls, details: Details, keys: Use<string>[], records: Use<number>[]): Promise<void> {
    try {
      if (calls.length > 0) await this.#deps.store.credits.logCalls({ calls })
      if (details.length > 0) await this.#deps.store.records.saveCallDetails({ calls: details })
      if (keys.length > 0) await this.#deps.store.keys.touchKeys({ used: keys })
      for (let from = 0; from < records.length; from += recordsAtOnce)
        await this.#deps.store.records.markUsed({ used: records.slice(from, from + recordsAtOnce) })
    } catch (error) {
      this.#deps.log.warn({ err: error, calls: calls.length }, 'could not write calls to the call log; they are lost')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}

/** Calls of one key that its rate limit refused since the last write. */
interface Refused {
  noted: number
  more: number
  last: EndedCall
}

function rowOf(call: EndedCall, { mode, keyId, environmentId }: Caller): Calls[number] {
  const { requestId, startedAt, kind, status, code, source, replay, durationMs, spendTag } = call
  return {
    requestId,
    at: startedAt,
    mode,
    keyId,
    environmentId,
    kind,
    status,
    code,
    source,
    credits: 0,
    identifier: null,
    entityId: replay?.entityId ?? null,
    versionId: replay?.versionId ?? null,
    fetchId: replay?.fetchId ?? null,
    replayOf: replay?.requestId ?? null,
    durationMs,
    // Calls of a test key are tests and have no spend tag.
    tag: mode === 'live' ? spendTag : null,
  }
}

interface Use<Id> {
  id: Id
  at: number
}

/**
 * The last uses of keys or records, until they are written. The first use in a period is due at once, later ones at its
 * end. So an item in constant use is written once per period, and nothing is scanned in between.
 */
class Uses<Id> {
  readonly #everyMs: number
  readonly #due = new Map<Id, number>()
  readonly #again = new Map<Id, number>()
  readonly #written = new Set<Id>()
  #periodBegan = 0

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  note(id: Id, at: number): void {
    const uses = this.#written.has(id) ? this.#again : this.#due
    if (uses.size < waitingAtMost || uses.has(id)) uses.set(id, at)
  }

  /** Takes out what is due, or everything. */
  take(now: number, { all, atMost = Infinity }: { all: boolean; atMost?: number }): Use<Id>[] {
    const isOver = Math.abs(now - this.#periodBegan) >= this.#everyMs || this.#written.size > rememberedUses
    if (isOver || all) {
      for (const [id, at] of this.#again) this.#due.set(id, at)
      this.#again.clear()
    }
    if (isOver) {
      this.#written.clear()
      this.#periodBegan = now
    }
    const taken: Use<Id>[] = []
    for (const [id, at] of this.#due) {
      if (taken.length >= atMost) break
      this.#due.delete(id)
      this.#written.add(id)
      taken.push({ id, at })
    }
    return taken
  }
}
