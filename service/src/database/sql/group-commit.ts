import type { Database, Dialect, Direct, Tx } from '../dialect.ts'
import { engineFailure } from '../sqlite/engine-failure.ts'
import { withConnection } from '../sqlite/one-connection.ts'
import { goDirect } from './raw-statement.ts'

type Step<Args, Result> = (tx: Tx, dialect: Dialect, args: Args) => Promise<Result>
type Outcome = { result: unknown } | { error: unknown }

/**
 * What a commit of the embedded engine promises. A `synced` one survives a power cut once it has answered. One that goes
 * `with the next` may be lost in one, together with all after it, until a synced one follows: the log is sequential, so
 * the sync of that one takes it along. It is for steps whose caller waits for a synced one before anything is answered.
 */
export type Durability = 'synced' | 'with the next'

interface Work {
  durability: Durability
  run(tx: Tx): Promise<unknown>
  end(outcome: Outcome): void
}

/**
 * So many share a transaction in any case, and as many more as its steps take no longer than the sync of the last one
 * did: then a charge that arrives meanwhile waits for no crowd, and a slow disk does not hold the others up.
 */
const sharedAlways = 8
const [stepsAtLeastMs, stepsAtMostMs] = [2, 20]
let lastSyncMs = 0
/** What waits for the only connection of the embedded engine, and will have it together: synced steps first. */
const waiting = new WeakMap<Database['db'], Work[]>()

/** An operation of one transaction that shares it on the embedded engine; see `inSharedCommit`. */
export function groupCommit<Args, Result>(durability: Durability, step: Step<Args, Result>) {
  return async (database: Database, args: Args): Promise<Result> => {
    const { db, dialect } = database
    // There transactions run side by side, and one for many would only hold the locks of all of them.
    if (dialect === 'postgres') return db.transaction().execute((tx) => step(tx, dialect, args))
    return inSharedCommit(database, durability, (tx) => step(tx, dialect, args))
  }
}

/**
 * Runs steps on the embedded engine in one transaction with those, of any kind, that wait for the connection at the same
 * time: they share one fsync. One that fails takes none of the others with it.
 */
export async function inSharedCommit<Result>(
  database: Database,
  durability: Durability,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { db, direct } = database
  if (!direct) return db.transaction().execute(run)
  const outcome = await new Promise<Outcome>((end) => joinCommit(db, direct, [{ durability, run, end }]))
  if ('error' in outcome) throw outcome.error
  return outcome.result as Result
}

function joinCommit(db: Database['db'], direct: Direct, works: readonly Work[]): void {
  const known = waiting.get(db)
  const all = known ?? []
  for (const work of works) {
    const place = work.durability === 'synced' ? all.findIndex(({ durability }) => durability !== 'synced') : -1
    all.splice(place < 0 ? all.length : place, 0, work)
  }
  if (known) return
  waiting.set(db, all)
  const committed = withConnection(direct, () => {
    waiting.delete(db)
    goDirect(direct.inside, direct.run)
    return commitSome(direct, all)
  })
  committed
    .then((left) => {
      // After a turn of the loop, so that what has arrived by then can go before.
      if (left.length > 0) setImmediate(() => joinCommit(db, direct, left))
    })
    .catch((error: unknown) => {
      for (const { end } of all) end({ error })
    })
}

/** Commits as many as may share a transaction, and returns the others. */
async function commitSome(direct: Direct, all: readonly Work[]): Promise<readonly Work[]> {
  const results: unknown[] = []
  try {
    await inOneTransaction(direct, all, results)
  } catch (error) {
    const tried = all.slice(0, results.length + 1)
    // Where the engine could not commit, none of them can alone; each would only wait for the same lock again.
    if (tried.length === 1 || engineFailure(error)) for (const { end } of tried) end({ error })
    else for (const work of tried) await commitSome(direct, [work])
    return all.slice(tried.length)
  }
  for (const [index, result] of results.entries()) all[index]?.end({ result })
  return all.slice(results.length)
}

/** Begins and ends past Kysely, as the raw statements in between do: its layers cost more than most of them. */
async function inOneTransaction(
  { run: direct, inside }: Direct,
  works: readonly Work[],
  results: unknown[],
): Promise<void> {
  // Synced ones go first.
  const isSynced = works[0]?.durability === 'synced'
  const started = performance.now()
  if (!isSynced) await direct('pragma synchronous = normal', [])
  try {
    await direct('begin', [])
    const fullAt = started + Math.min(stepsAtMostMs, Math.max(stepsAtLeastMs, lastSyncMs))
    for (const { run } of works) {
      if (results.length >= sharedAlways && performance.now() > fullAt) break
      results.push(await run(inside))
    }
    const stepsEnded = performance.now()
    await direct('commit', [])
    if (isSynced) lastSyncMs = performance.now() - stepsEnded
  } catch (error) {
    await direct('rollback', [])
    throw error
  } finally {
    if (!isSynced) await direct('pragma synchronous = full', [])
  }
}
