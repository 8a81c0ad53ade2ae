import type { GrantStore } from '../../credits/operations.ts'
import { clocksDifferMs, type Clock } from '../../foundation/clock.ts'
import type { Log } from '../../foundation/log.ts'

interface Deps {
  store: { grants: Pick<GrantStore, 'noteClock' | 'takeBackAhead' | 'countDaysAhead' | 'grantDueMonths'> }
  clock: Clock
  readTime?: (() => Promise<void>) | undefined
  log: Log
}

/**
 * The job that grants the months that have begun, and undoes what a clock that was ahead left: months and counted days.
 */
export function grantRecurringJob({ store, clock, readTime, log }: Deps) {
  let last: { at: number; elapsed: number } | null = null
  let wasLate = false
  let wasCertain = false
  const run = async () => {
    await readTime?.()
    const now = { at: clock.now(), elapsed: clock.elapsed() }
    const isSteady = last && Math.abs(now.at - last.at - (now.elapsed - last.elapsed)) <= clocksDifferMs
    const { at } = (last = now)
    const { isLate, isCertain, ...known } = await store.grants.noteClock({ at, isSteady, wasLate })
    wasLate = isLate
    const time = { at, ...known }
    // A clock that has long been right has left nothing to undo.
    if (!isCertain || !wasCertain) await undoAhead(store, time)
    wasCertain = isCertain
    let left: string[] = []
    for (let granted = 1; granted > 0;) ({ granted, left } = await store.grants.grantDueMonths(time))
    if (left.length > 0) log.error({ environments: left }, 'recurring credits are years behind: check the clock')
  }
  return { name: 'grant recurring credits', everyMs: 10_000, run }
}

async function undoAhead(store: Deps['store'], time: { at: number; sure: number }): Promise<void> {
  for (let after: number | null = 0; after !== null;)
    ({ next: after } = await store.grants.takeBackAhead({ ...time, after }))
  while ((await store.grants.countDaysAhead(time)).counted > 0) continue
}
