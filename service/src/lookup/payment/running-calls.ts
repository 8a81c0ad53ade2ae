import { setTimeout as pause } from 'node:timers/promises'

/**
 * Calls of this process that run under an Idempotency-Key, so that duplicates wait for the first call instead of
 * polling.
 */
export class RunningCalls {
  readonly #ends = new Map<string, Promise<void>>()

  /** Marks a call as running; the returned function marks its end. */
  begin(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ends.set(name, promise)
    return () => {
      if (this.#ends.get(name) === promise) this.#ends.delete(name)
      resolve()
    }
  }

  /** Waits until the first call ends, at most `atMostMs`. A call that runs in another process is polled. */
  async wait(name: string, atMostMs: number): Promise<void> {
    const end = this.#ends.get(name)
    const checkAgainMs = 100
    if (!end) return pause(Math.min(checkAgainMs, atMostMs))
    const timer = new AbortController()
    await Promise.race([end, pause(atMostMs, undefined, { signal: timer.signal }).catch(() => undefined)])
    timer.abort()
  }
}
