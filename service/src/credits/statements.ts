import { CompiledQuery, type Kysely } from 'kysely'
import type { Database, Dialect, RunStatement } from '../foundation/database/dialect.ts'
import type { Tables } from '../foundation/database/tables.ts'

/** What a settlement runs its statements with, inside one transaction. */
export interface Statements {
  /** For building statements only: what it builds is run by `run`. */
  db: Kysely<Tables>
  dialect: Dialect
  run: RunStatement
}

/**
 * Runs the steps in one transaction. On the embedded engine they go past Kysely: a settlement is run with every group of
 * calls, and the way through its layers cost more than the statements themselves.
 */
export async function inTransaction<Result>(
  { db, dialect, direct }: Database,
  steps: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  if (!direct) {
    return db.transaction().execute((tx) =>
      steps({
        db: tx,
        dialect,
        run: async (text, parameters) => (await tx.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows,
      }),
    )
  }
  // Whoever holds the only connection is alone with the engine.
  return db.connection().execute(async () => {
    await direct('begin', [])
    try {
      const result = await steps({ db, dialect, run: direct })
      await direct('commit', [])
      return result
    } catch (error) {
      await rollBack(direct)
      throw error
    }
  })
}

/** The engine itself rolls back on some errors, a full disk among them, and then there is nothing left to do. */
async function rollBack(direct: RunStatement): Promise<void> {
  try {
    await direct('rollback', [])
  } catch {
    // What was wrong is told by the error that led here.
  }
}
