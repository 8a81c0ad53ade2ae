import type { DatabaseSync } from 'node:sqlite'
import type { Database, RunStatement } from '../../service/src/database/dialect.ts'
import { openSqlite } from '../../service/src/database/sqlite/sqlite.ts'
import type { Operations, RunOperation } from '../../service/src/database/store.ts'
import { operations } from '../../service/src/app/store/operations.ts'

/** Written now and then for many calls at once, whenever the timer says so. */
export const background = new Set(['touchKeys', 'logCalls', 'saveCallDetails', 'markUsed'])

const full = 2

/**
 * Runs the operations of a service on the embedded engine in this thread, where its commits can be watched. A commit at
 * level FULL is one sync of the log, one at NORMAL none.
 */
export class SyncCounter {
  /** Commits at level FULL. */
  syncs = 0
  commits = 0
  #db: Database['db'] | null = null

  open(path: string): RunOperation {
    const { db, raw, direct } = openSqlite(path)
    this.#db = db
    const run: RunStatement = (text, parameters) => {
      if (text === 'commit') this.#note(raw)
      return direct.run(text, parameters)
    }
    const database: Database = { db, dialect: 'sqlite', direct: { ...direct, run } }
    const all: Operations = operations
    return async (name, args) => (background.has(name) ? undefined : all[name]?.(database, args))
  }

  async close(): Promise<void> {
    await this.#db?.destroy()
  }

  #note(raw: DatabaseSync): void {
    this.commits += 1
    if (raw.prepare('pragma synchronous').get()?.['synchronous'] === full) this.syncs += 1
  }
}
