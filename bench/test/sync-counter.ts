import type { DatabaseSync } from 'node:sqlite'
import type { Database, RunStatement, Tx } from '../../service/src/database/engine/dialect.ts'
import { Executor } from '../../service/src/database/sqlite/executor.ts'
import { openSqlite, sqliteDialect } from '../../service/src/database/sqlite/connection/sqlite.ts'
import { byName, type RunOperation } from '../../service/src/database/engine/operation.ts'
import { operations } from '../../service/src/app/store/operations.ts'

/** Written by a timer for many calls at once. */
export const background = new Set([
  'keys.touchKeys',
  'callCounts.countCalls',
  'credits.logCalls',
  'records.saveCallDetails',
  'records.markUsed',
])

const full = 2

/**
 * Runs the operations of a service on the embedded engine in this thread, where its commits can be observed. A commit
 * at level FULL syncs the log once; one at NORMAL does not.
 */
export class SyncCounter {
  /** For each commit at level FULL, the operations in it. */
  readonly synced: string[][] = []
  /**
   * Syncs of shared transactions of short operations. A batch also has transactions of its own, independent of its
   * number of rows.
   */
  sharedSyncs = 0
  commits = 0
  #db: Tx | null = null
  #isShared = false
  #names: string[] = []

  open(path: string): RunOperation {
    const { db, raw } = openSqlite(path)
    this.#db = db
    const plain = db.run
    const run: RunStatement = (text, parameters) => {
      if (text === 'commit') this.#note(raw)
      if (text === 'begin') this.#begin()
      return plain(text, parameters)
    }
    const executor = new Executor({ db: Object.assign(db, { run }), dialect: sqliteDialect })
    const all = byName(operations)
    return async (name, args) => (background.has(name) ? undefined : all[name]?.(this.#watched(executor, name), args))
  }

  #watched(executor: Executor, name: string): Database {
    return {
      dialect: sqliteDialect,
      read: (work) => executor.read(work),
      single: (work) => executor.single(work),
      write: (work) =>
        executor.write((connection) => {
          this.#names.push(name)
          return work(connection)
        }),
      share: (sharing, work) =>
        executor.share(sharing, (connection) => {
          this.#isShared = true
          this.#names.push(name)
          return work(connection)
        }),
    }
  }

  #begin(): void {
    this.#isShared = false
    this.#names = []
  }

  async close(): Promise<void> {
    await this.#db?.destroy()
  }

  #note(raw: DatabaseSync): void {
    this.commits += 1
    if (raw.prepare('pragma synchronous').get()?.['synchronous'] !== full) return
    this.synced.push(this.#names)
    if (this.#isShared) this.sharedSyncs += 1
  }
}
