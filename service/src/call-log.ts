import type { Clock } from './foundation/clock.ts'
import type { Log } from './foundation/log.ts'
import type { EndedCall, HouseStore } from './http/needs.ts'

interface Needs {
  store: Pick<HouseStore, 'logCalls' | 'touchKeys'>
  clock: Clock
  log: Log
}

const flushMs = 500
/** So many are written at once, before they grow old enough to cost the garbage collector. */
const flushAt = 512
const waitingAtMost = 100_000

/**
 * Notes every answered call: one line in the log, a row in the call log, and the last use of its key. Paid calls have
 * their row already, from the settlement itself; the others are written in the background, many at once.
 */
export class CallLog {
  readonly #needs: Needs
  readonly #timer: NodeJS.Timeout
  #waiting: Parameters<HouseStore['logCalls']>[0]['calls'] = []
  readonly #used = new Map<string, number>()
  #flushing: Promise<void> = Promise.resolve()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#timer = setInterval(() => void this.flush(), flushMs)
    this.#timer.unref()
  }

  note(call: EndedCall): void {
    const { caller, requestId, kind, status, code, source, durationMs } = call
    this.#needs.log.info({ requestId, keyId: caller?.keyId, kind, status, code, source, ms: durationMs }, 'call')
    if (!caller) return
    this.#used.set(caller.keyId, call.startedAt)
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
    if (this.#waiting.length === flushAt) void this.flush()
  }

  /** Writes what waits. A failure loses hints, never money, so it is logged and not retried. */
  flush(): Promise<void> {
    const calls = this.#waiting
    const used = [...this.#used].map(([id, at]) => ({ id, at }))
    if (calls.length === 0 && used.length === 0) return this.#flushing
    this.#waiting = []
    this.#used.clear()
    this.#flushing = this.#flushing.then(() => this.#write(calls, used))
    return this.#flushing
  }

  async #write(
    calls: Parameters<HouseStore['logCalls']>[0]['calls'],
    used: { id: string; at: number }[],
  ): Promise<void> {
    try {
      if (calls.length > 0) await this.#needs.store.logCalls({ calls })
      if (used.length > 0) await this.#needs.store.touchKeys({ used })
    } catch (error) {
      this.#needs.log.warn({ err: error, calls: calls.length }, 'calls could not be written to the call log')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
