import { AsyncLocalStorage } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'

/** A life of a process. Its timers end with it, and stop while it is frozen. */
export interface Owner {
  /** How far its clock is ahead of the world's. */
  readonly skewMs: number
  /** How far the clock of its machine is ahead. */
  readonly machineAheadMs: number
  isFrozen: boolean
}

interface Timer {
  owner: Owner | undefined
  at: number
  order: number
  everyMs: number | null
  run(): void
}

const realImmediate = setImmediate
/** Consecutive turns of the event loop in which no callback waited for the next one: then nothing is left to do. */
const turnsToRest = 2
/** Work that takes more turns never ends. */
const turnsAtMost = 10_000

/** Owns the clock and every timer of this process. Time passes only on request. */
export class VirtualTime {
  #now = 0
  #order = 0
  #timers = new Map<object, Timer>()
  /** Callbacks that wait for a turn of the event loop. */
  #nextTurns = 0
  readonly #owner = new AsyncLocalStorage<Owner>()

  readonly clock = { now: () => this.#now, elapsed: () => this.#now }

  /** Replaces the clock and the timers of the process permanently. */
  install(): void {
    const clear = (handle?: unknown) => void this.#timers.delete(Object(handle) as object)
    const add = (run: () => void, ms = 0, everyMs: number | null = null) => this.#add(run, ms, everyMs)
    Object.assign(globalThis, {
      setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
        add(() => run(...given), ms),
      setInterval: (run: () => void, ms = 1) => add(run, ms, Math.max(1, ms)),
      clearTimeout: clear,
      clearInterval: clear,
      setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => this.#atNextTurn(() => run(...given)),
    })
    Date.now = () => this.#now + (this.owner?.machineAheadMs ?? 0)
    performance.now = this.clock.now
    // The process does nothing besides the simulation.
    performance.eventLoopUtilization = () => ({ idle: this.#now, active: 0, utilization: 0 })
    // Steps cost no CPU time, so that every machine plays a seed alike.
    process.threadCpuUsage = () => ({ user: 0, system: 0 })
    AbortSignal.timeout = (ms) => {
      const end = new AbortController()
      add(() => end.abort(new DOMException('The operation timed out', 'TimeoutError')), ms)
      return end.signal
    }
    const nextTurn = (value?: unknown) => new Promise((resolve) => this.#atNextTurn(() => resolve(value)))
    Object.assign(timers, { setTimeout: this.#pause, setImmediate: nextTurn })
    syncBuiltinESMExports()
  }

  /** Starts a new world at this time, without timers. */
  beginAt(now: number): void {
    this.#now = now
    this.#order = 0
    this.#timers = new Map()
  }

  /** The owner of the running code; undefined for the scheduler. */
  get owner(): Owner | undefined {
    return this.#owner.getStore()
  }

  /** Runs work, and everything that follows from it, as this process. */
  within<Result>(owner: Owner, work: () => Result): Result {
    return this.#owner.run(owner, work)
  }

  /** Advances the clock. Due timers run in order, and their effects settle before the next one. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const [handle, due] = this.#next() ?? []
      if (!handle || !due || due.at > end) break
      this.#now = Math.max(this.#now, due.at)
      if (due.everyMs === null) this.#timers.delete(handle)
      // An interval runs once per advance: a week has half a million seconds, and every run does the same.
      else due.at = Math.max(this.#now + due.everyMs, end + 1)
      if (due.owner) this.within(due.owner, due.run)
      else due.run()
      await this.rest()
    }
    this.#now = end
  }

  /**
   * Resolves when nothing is left to do before the scheduler's next step: no callback waits for a turn of the event loop,
   * and no file operation runs. A fixed number of turns would end a chain of callbacks in the middle, where it depends on
   * the engine how far it has come.
   */
  async rest(): Promise<void> {
    let all = 0
    for (let turn = 0; turn < turnsToRest; turn++) {
      await new Promise<void>((resolve) => realImmediate(() => resolve()))
      const active = process.getActiveResourcesInfo()
      if (active.includes('Timeout')) throw new Error("a timer runs that is not the scheduler's")
      const waitsForFiles = active.some((name) => /^(FSReq|CloseReq)/.test(name))
      // A file operation on a busy machine takes any number of turns.
      if (!waitsForFiles && ++all > turnsAtMost) throw new Error('the work of a step never ends')
      if (this.#nextTurns > 0 || waitsForFiles) turn = -1
    }
  }

  /** The process died: none of its timers runs again. */
  forget(owner: Owner): void {
    for (const [handle, timer] of this.#timers) if (timer.owner === owner) this.#timers.delete(handle)
  }

  /** Counts callbacks until they run. */
  #atNextTurn(run: () => void): NodeJS.Immediate {
    this.#nextTurns += 1
    return realImmediate(() => {
      this.#nextTurns -= 1
      run()
    })
  }

  #next(): [object, Timer] | null {
    let first: [object, Timer] | null = null
    for (const one of this.#timers) {
      const [, { at, order, owner }] = one
      if (owner?.isFrozen) continue
      if (!first || at < first[1].at || (at === first[1].at && order < first[1].order)) first = one
    }
    return first
  }

  #add(run: () => void, ms: number, everyMs: number | null): object {
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, refresh: () => handle }
    const at = this.#now + Math.max(1, ms || 1)
    this.#timers.set(handle, { owner: this.owner, at, order: this.#order++, everyMs, run })
    return handle
  }

  readonly #pause = <T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const handle = this.#add(() => resolve(value), ms ?? 1, null)
      signal?.addEventListener('abort', () => {
        this.#timers.delete(handle)
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      })
    })
}
