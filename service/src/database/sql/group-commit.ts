import type { Database, Dialect, RunStatement, Tx } from '../dialect.ts'
import { goDirect } from './raw-statement.ts'

type Step<Args, Result> = (tx: Tx, dialect: Dialect, args: Args) => Promise<Result>
type Outcome = { result: unknown } | { error: unknown }

interface Work {
  run(tx: Tx): Promise<unknown>
  end(outcome: Outcome): void
}

const sharedAtMost = 256
/** What waits for the only connection of the embedded engine, and will have it together. */
const waiting = new WeakMap<Database['db'], Work[]>()

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
 * Runs steps on the embedded engine in one transaction with those, of any kind, that wait for the connection at the same
 * time: they share one fsync. One that fails takes none of the others with it.
 */
export async function inSharedCommit<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const { direct } = database
  if (!direct) return database.db.transaction().execute(work)
  const outcome = await new Promise<Outcome>((end) => joinCommit(database.db, direct, { run: work, end }))
  if ('error' in outcome) throw outcome.error
  return outcome.result as Result
}

function joinCommit(db: Database['db'], direct: RunStatement, work: Work): void {
  const others = waiting.get(db)
  if (others && others.length < sharedAtMost) return void others.push(work)
  const all = [work]
  waiting.set(db, all)
  const committed = db.connection().execute((held) => {
    if (waiting.get(db) === all) waiting.delete(db)
    goDirect(held, direct)
    // A connection on which a transaction was begun.
    return commitAll(held as Tx, direct, all)
  })
  committed.catch((error: unknown) => {
    for (const { end } of all) end({ error })
  })
}

async function commitAll(tx: Tx, direct: RunStatement, all: readonly Work[]): Promise<void> {
  try {
    const results = await inOneTransaction(direct, async () => {
      const ended: unknown[] = []
      for (const { run } of all) ended.push(await run(tx))
      return ended
    })
    for (const [index, { end }] of all.entries()) end({ result: results[index] })
  } catch (error) {
    const [only, ...others] = all
    if (others.length === 0) return only?.end({ error })
    for (const work of all) await commitAll(tx, direct, [work])
  }
}

/** Begins and ends past Kysely, as the raw statements in between do: its layers cost more than most of them. */
async function inOneTransaction<Result>(direct: RunStatement, work: () => Promise<Result>): Promise<Result> {
  await direct('begin', [])
  try {
    const result = await work()
    await direct('commit', [])
    return result
  } catch (error) {
    await direct('rollback', [])
    throw error
  }
}
