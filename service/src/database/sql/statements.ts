import { CompiledQuery, type Kysely } from 'kysely'
import type { Database, Dialect, RunStatement } from '../dialect.ts'
import { inSharedCommit, type Durability } from './group-commit.ts'
import type { Tables } from '../tables/tables.ts'

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
  database: Database,
  durability: Durability,
  steps: (statements: Statements) => Promise<Result>,
): Promise<Result> {
  const { db, dialect, direct } = database
  if (!direct) {
    return db.transaction().execute((tx) =>
      steps({
        db: tx,
        dialect,
        run: async (text, parameters) => (await tx.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows,
      }),
    )
  }
  return inSharedCommit(database, durability, () => steps({ db, dialect, run: direct.run }))
}
