import type { Clock } from '../foundation/clock.ts'
import type { Log } from '../foundation/log.ts'
import type { EndedCall } from '../http/deps.ts'
import type { ServiceStore } from '../store/service-store.ts'

interface Deps {
  store: Pick<ServiceStore, 'logCalls' | 'touchKeys'>
  clock: Clock
  log: Log
}

type Calls = Parameters<ServiceStore['logCalls']>[0]['calls']
type Used = Parameters<ServiceStore['touchKeys']>[0]['used']

const flushMs = 500
/** So many are written at once, before they grow old enough to cost the garbage collector. */
const flushAt = 512
const waitingAtMost = 100_000
/** A key in constant use is noted this often: thousands of such keys would otherwise cost as much as their calls. */
const writeUseEveryMs = 10_000
const rememberedUses = 50_000

/**
 * Notes every answered call: one line in the log, a row in the call log, and the last use of its key. Paid calls have
 * their row already, from the settlement itself; the others are written in the background, many at once.
 */
export class CallLog {
  readonly #deps: Deps
  readonly #timer: NodeJS.Timeout
  #waiting: Calls = []
  readonly #uses = new KeyUses()
  #flushing: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timer = setInterval(() => void this.#writeDue(), flushMs)
    this.#timer.unref()
  }

  note(call: EndedCall): void {
    const { caller, requestId, kind, status, code, source, durationMs } = call
    this.#deps.log.info({ requestId, keyId: caller?.keyId, kind, status, code, source, ms: durationMs }, 'call')
    if (!caller) return
    this.#uses.note(caller.keyId, call.startedAt)
    const paid = caller.mode === 'live' && status === 200 && !call.replay
    if (paid || this.#waiting.length >= waitingAtMost) return
    this.#waiting.push({
      requestId,
      at: call.startedAt,
      mode: caller.mode,
      keyId: caller.keyId,
      accountId: caller.accountId,
      kind,
      status,
      code,
      source,
      credits: 0,
      identifier: null,
      entityId: call.replay?.entityId ?? null,
      versionId: call.replay?.versionId ?? null,
      fetchId: call.replay?.fetchId ?? null,
      replayOf: call.replay?.requestId ?? null,
      durationMs,
    })
    if (this.#waiting.length === flushAt) void this.#writeDue()
  }

  /** Writes all that waits. */
  flush(): Promise<void> {
    return this.#writeNow(this.#uses.take(this.#deps.clock.now(), true))
  }

  #writeDue(): Promise<void> {
    return this.#writeNow(this.#uses.take(this.#deps.clock.now(), false))
  }

  #writeNow(used: Used): Promise<void> {
    const calls = this.#waiting
    if (calls.length === 0 && used.length === 0) return this.#flushing
    this.#waiting = []
    this.#flushing = this.#flushing.then(() => this.#write(calls, used))
    return this.#flushing
  }

  /** A failure loses hints, never money, so it is logged and not retried. */
  async #write(calls: Calls, used: Used): Promise<void> {
    try {
      if (calls.length > 0) await this.#deps.store.logCalls({ calls })
      if (used.length > 0) await this.#deps.store.touchKeys({ used })
    } catch (error) {
      this.#deps.log.warn({ err: error, calls: calls.length }, 'calls could not be written to the call log')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}

/** When keys were last used, until that is written. The first use after a pause is due at once. */
class KeyUses {
  readonly #waiting = new Map<string, number>()
  readonly #written = new Map<string, number>()

  note(keyId: string, at: number): void {
    this.#waiting.set(keyId, at)
  }

  /** Takes out what is due, or all of it. */
  take(now: number, all: boolean): { id: string; at: number }[] {
    if (this.#written.size > rememberedUses) this.#written.clear()
    const due: { id: string; at: number }[] = []
    for (const [id, at] of this.#waiting) {
      if (!all && Math.abs(now - (this.#written.get(id) ?? -Infinity)) < writeUseEveryMs) continue
      this.#waiting.delete(id)
      this.#written.set(id, now)
      due.push({ id, at })
    }
    return due
  }
}
