import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection, Database, Durability } from '../dialect.ts'

type Outcome = { result: unknown } | { error: unknown }

/** A piece of work that shares a commit. */
interface Write {
  durability: Durability
  run(connection: Connection): Promise<unknown>
  end(outcome: Outcome): void
}

/** Reads take some hundredths of a millisecond each; a turn ends after so many, or after so long where they take more. */
const perTurn = 16
const turnMs = 5
/**
 * So many share a transaction in any case, and as many more as its steps take no longer than the sync of the last one
 * did: then a charge that arrives meanwhile waits for no crowd, and a slow disk does not hold the others up.
 */
const sharedAlways = 8
const [stepsAtLeastMs, stepsAtMostMs] = [2, 20]

/**
 * The one loop over the one connection of the embedded engine, where all work is synchronous. A turn of it is a commit that
 * all waiting writes share, synced ones first, then a few pieces of work that have the connection to themselves, in their
 * order. After each turn the event loop has one too: a charge that has arrived by then goes before all that still waits.
 */
export class Executor implements Database {
  readonly dialect = 'sqlite'
  readonly #connection: Connection
  readonly #onCommit: () => void
  #writes: Write[] = []
  #others: (() => Promise<void>)[] = []
  #isRunning = false
  #lastSyncMs = 0

  constructor(connection: Connection, onCommit: () => void = () => undefined) {
    this.#connection = connection
    this.#onCommit = onCommit
  }

  /** Never begins in the caller's own step, so that what is asked for together runs together. */
  read<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#others.push(() => work(this.#connection).then(resolve, reject))
      this.#start()
    })
  }

  write<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const { promise, end } = ending<Result>()
    this.#others.push(async () => void (await this.#commit([{ durability: 'synced', run: work, end }])))
    this.#start()
    return promise
  }

  /** One that fails takes none of the others with it. */
  share<Result>(durability: Durability, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const { promise, end } = ending<Result>()
    const place = durability === 'synced' ? this.#writes.findIndex((other) => other.durability !== 'synced') : -1
    this.#writes.splice(place < 0 ? this.#writes.length : place, 0, { durability, run: work, end })
    this.#start()
    return promise
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    queueMicrotask(() => void this.#run())
  }

  async #run(): Promise<void> {
    for (;;) {
      const writes = this.#writes
      this.#writes = []
      const left = await this.#commit(writes)
      this.#writes.unshift(...left)
      const until = performance.now() + turnMs
      for (let count = 0; count < perTurn && performance.now() <= until; count++) await this.#others.shift()?.()
      if (this.#writes.length + this.#others.length === 0) break
      await nextTurn()
    }
    this.#isRunning = false
  }

  /** Commits as many as may share a transaction, and returns the others. Where one fails, each is tried alone. */
  async #commit(writes: readonly Write[]): Promise<readonly Write[]> {
    if (writes.length === 0) return []
    const results: unknown[] = []
    try {
      await this.#inTransaction(writes, results)
    } catch (error) {
      const tried = writes.slice(0, results.length + 1)
      if (tried.length === 1) tried[0]?.end({ error })
      else for (const write of tried) await this.#commit([write])
      return writes.slice(tried.length)
    }
    for (const [index, result] of results.entries()) writes[index]?.end({ result })
    return writes.slice(results.length)
  }

  async #inTransaction(writes: readonly Write[], results: unknown[]): Promise<void> {
    const { run } = this.#connection.db
    // Synced ones are first.
    const isSynced = writes[0]?.durability === 'synced'
    const fullAt = performance.now() + Math.min(stepsAtMostMs, Math.max(stepsAtLeastMs, this.#lastSyncMs))
    if (!isSynced) await run('pragma synchronous = normal', [])
    try {
      await run('begin', [])
      for (const write of writes) {
        if (results.length >= sharedAlways && performance.now() > fullAt) break
        results.push(await write.run(this.#connection))
      }
      const stepsEnded = performance.now()
      await run('commit', [])
      if (isSynced) this.#lastSyncMs = performance.now() - stepsEnded
    } catch (error) {
      await run('rollback', [])
      throw error
    } finally {
      if (!isSynced) await run('pragma synchronous = full', [])
    }
    this.#onCommit()
  }
}

function ending<Result>(): { promise: Promise<Result>; end(outcome: Outcome): void } {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const end = (outcome: Outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.result as Result))
  return { promise, end }
}
