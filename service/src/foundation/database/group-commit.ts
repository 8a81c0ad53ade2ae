import { createBatcher } from '../batcher.ts'
import type { Database, Dialect, Tx } from './dialect.ts'

type Step<Args, Result> = (tx: Tx, dialect: Dialect, args: Args) => Promise<Result>
type Outcome<Result> = { result: Result } | { error: unknown }

const together = 64

/**
 * An operation of one transaction each that shares it, on the embedded engine, with those of its kind that wait at the
 * same time: they share one fsync. One that fails takes none of the others with it. On PostgreSQL transactions run side by
 * side, and one for many would only hold the locks of all of them.
 */
export function groupCommit<Args, Result>(step: Step<Args, Result>) {
  const groups = new WeakMap<Database['db'], (args: Args) => Promise<Outcome<Result>>>()
  return async ({ db, dialect }: Database, args: Args): Promise<Result> => {
    if (dialect === 'postgres') return db.transaction().execute((tx) => step(tx, dialect, args))
    const join = groups.get(db) ?? createBatcher((all: Args[]) => commitAll(db, all, step), together)
    groups.set(db, join)
    const outcome = await join(args)
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
}

async function commitAll<Args, Result>(
  db: Database['db'],
  all: Args[],
  step: Step<Args, Result>,
): Promise<Outcome<Result>[]> {
  try {
    return await db.transaction().execute(async (tx) => {
      const results: Outcome<Result>[] = []
      for (const args of all) results.push({ result: await step(tx, 'sqlite', args) })
      return results
    })
  } catch (error) {
    if (all.length === 1) return [{ error }]
    const outcomes: Outcome<Result>[] = []
    for (const args of all) outcomes.push(...(await commitAll(db, [args], step)))
    return outcomes
  }
}
