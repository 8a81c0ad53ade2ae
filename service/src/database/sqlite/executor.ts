import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connection, Database, Durability, Sharing } from '../engine/dialect.ts'
import { sqliteDialect } from './connection/sqlite.ts'
import { engineFailure } from './connection/store-messages.ts'

type Work<Result> = (connection: Connection) => Promise<Result>

/** A piece of work that shares a commit. */
interface Write extends Sharing {
  run: Work<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** A read takes a few hundredths of a millisecond; a turn ends after this many reads, or after this time. */
const perTurn = 16
const turnMs = 5
/**
 * This many always share a transaction, and more as long as its steps take no longer than the last sync did. So a
 * charge that arrives meanwhile does not wait for a crowd, and a slow disk does not delay the others. Unsynced work
 * saves no sync by sharing, however slow the disk is, and saving a record takes 0.5 ms.
 */
const sharedAlways: Record<Durability, number> = { synced: 8, 'with the next': 5 }
const [stepsAtLeastMs, stepsAtMostMs] = [2, 20]

/**
 * The single loop over the embedded engine's single connection, where all work is synchronous. A turn is a commit that
 * waiting writes share, charges and other synced ones first, then a few pieces of work that have the connection to
 * themselves, in order. The event loop runs after each turn, so a charge that has arrived by then goes before
 * everything that still waits.
 */
export class Executor implements Database {
  readonly dialect = sqliteDialect
  readonly #connection: Connection
  readonly #onCommit: () => void
  #writes: Write[] = []
  readonly #others: (() => Promise<void>)[] = []
  #isRunning = false
  #lastSyncMs = 0

  /** `onCommit` is called before anything is answered after a commit, and may fail it. */
  constructor(connection: Connection, onCommit: () => void = () => undefined) {
    this.#connection = connection
    this.#onCommit = onCommit
  }

  /** It never begins in the caller's own step, so that work requested together runs together. */
  read<Result>(work: Work<Result>): Promise<Result> {
    return this.#queue(() => work(this.#connection))
  }

  single<Result>(work: Work<Result>): Promise<Result> {
    return this.#queue(async () => {
      const result = await work(this.#connection)
      this.#onCommit()
      return result
    })
  }

  write<Result>(work: Work<Result>): Promise<Result> {
    return this.#queue(async () => {
      const results: unknown[] = []
      await this.#inTransaction([{ durability: 'synced', run: work }], results)
      return results[0] as Result
    })
  }

  /** A failed write does not affect the others. */
  share<Result>(sharing: Sharing, work: Work<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#writes.push({ ...sharing, run: work, resolve: (result) => resolve(result as Result), reject })
      this.#start()
    })
  }

  #queue<Result>(run: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#others.push(async () => {
        try {
          resolve(await run())
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
      this.#start()
    })
  }

  #start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    queueMicrotask(() => void this.#run())
  }

  async #run(): Promise<void> {
    while (this.#writes.length + this.#others.length > 0) {
      const writes = this.#writes.toSorted((one, other) => rankOf(one) - rankOf(other))
      this.#writes = []
      const left = await this.#commitSome(writes)
      this.#writes.unshift(...left)
      const until = performance.now() + turnMs
      for (let count = 0; count < perTurn && this.#others.length > 0 && performance.now() <= until; count++)
        await this.#others.shift()?.()
      // This also applies after the last piece: long work requests its next step only when it has this one.
      await nextTurn()
    }
    this.#isRunning = false
  }

  /** Commits as many as may share a transaction, and returns the rest. If one fails, each is tried alone. */
  async #commitSome(writes: readonly Write[]): Promise<readonly Write[]> {
    if (writes.length === 0) return []
    const results: unknown[] = []
    try {
      await this.#inTransaction(writes, results)
    } catch (error) {
      const tried = writes.slice(0, results.length + 1)
      // If the engine could not commit, none of them can alone; each would only wait for the same lock again.
      const isHopeless = tried.length === 1 || engineFailure(error) !== null
      for (const write of tried) {
        if (isHopeless) write.reject(error)
        else await this.#commitSome([write])
      }
      return writes.slice(tried.length)
    }
    for (const [index, result] of results.entries()) writes[index]?.resolve(result)
    return writes.slice(results.length)
  }

  /** Runs writes, the synced ones first, in one transaction until it is full, and adds their results. */
  async #inTransaction(writes: readonly Pick<Write, 'durability' | 'run'>[], results: unknown[]): Promise<void> {
    const { run } = this.#connection.db
    const isSynced = writes[0]?.durability === 'synced'
    const began = performance.now()
    const syncedMs = Math.min(stepsAtMostMs, Math.max(stepsAtLeastMs, this.#lastSyncMs))
    const fullAt: Record<Durability, number> = { synced: began + syncedMs, 'with the next': began + stepsAtLeastMs }
    if (!isSynced) await run('pragma synchronous = normal', [])
    try {
      await run('begin', [])
      for (const write of writes) {
        const { durability } = write
        if (results.length >= sharedAlways[durability] && performance.now() > fullAt[durability]) break
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

function rankOf({ durability, isCharge = false }: Sharing): number {
  return (durability === 'synced' ? 0 : 2) + (isCharge ? 0 : 1)
}
