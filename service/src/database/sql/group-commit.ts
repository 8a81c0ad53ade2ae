import { createBatcher } from '../../foundation/batcher.ts'
import type { Database, Dialect, RunStatement, Tx } from '../dialect.ts'
import { goDirect } from './raw-statement.ts'

type Step<Args, Result> = (tx: Tx, dialect: Dialect, args: Args) => Promise<Result>
type Work = (tx: Tx) => Promise<unknown>
type Outcome = { result: unknown } | { error: unknown }

// A transaction takes no turn of the loop: without looking first who else is in the same message, nobody would share.
const options = { maxBatch: 256, inOneGo: true }
const groups = new WeakMap<Database['db'], (work: Work) => Promise<Outcome>>()

/** An operation of one transaction that shares it on the embedded engine; see `inSharedCommit`. */
export function groupCommit<Args, Result>(step: Step<Args, Result>) {
  return async (database: Database, args: Args): Promise<Result> => {
    const { db, dialect } = database
    // There transactions run side by side, and one for many would only hold the locks of all of them.
    if (dialect === 'postgres') return db.transaction().execute((tx) => step(tx, dialect, args))
    return inSharedCommit(database, (tx) => step(tx, dialect, args))
  }
}

/**
 * Runs steps on the embedded engine in one transaction with those, of whatever kind, that wait at the same time: they
 * share one fsync. One that fails takes none of the others with it.
 */
export async function inSharedCommit<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const { db } = database
  const join = groups.get(db) ?? createBatcher((all: Work[]) => commitAll(database, all), options)
  groups.set(db, join)
  const outcome = await join(work)
  if ('error' in outcome) throw outcome.error
  return outcome.result as Result
}

async function commitAll(database: Database, all: Work[]): Promise<Outcome[]> {
  try {
    return await inOneTransaction(database, async (tx) => {
      const results: Outcome[] = []
      for (const work of all) results.push({ result: await work(tx) })
      return results
    })
  } catch (error) {
    if (all.length === 1) return [{ error }]
    const outcomes: Outcome[] = []
    for (const work of all) outcomes.push(...(await commitAll(database, [work])))
    return outcomes
  }
}

/** Begins and ends past Kysely, as the fixed statements in between do: its layers cost more than most of them. */
function inOneTransaction<Result>({ db, direct }: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  if (!direct) return db.transaction().execute(work)
  // Whoever holds the only connection is alone with the engine.
  return db.connection().execute(async (held) => {
    goDirect(held, direct)
    await direct('begin', [])
    try {
      // A connection on which a transaction was begun.
      const result = await work(held as Tx)
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
