import type { Dialect } from '../engine/dialect.ts'

/**
 * Runs independent steps of a transaction such that on PostgreSQL their statements share messages. SQLite, which sends
 * none, runs one after the other. It ends when all have ended: no step may run a statement after its transaction.
 */
export async function together<Results extends unknown[]>(
  dialect: Dialect,
  ...steps: { [Index in keyof Results]: () => Promise<Results[Index]> }
): Promise<Results> {
  const results: unknown[] = []
  if (!dialect.locksRows) {
    for (const step of steps) results.push(await step())
    return results as Results
  }
  const ended = await Promise.allSettled(steps.map((step) => step()))
  for (const end of ended) {
    if (end.status === 'rejected') throw end.reason
    results.push(end.value)
  }
  return results as Results
}
