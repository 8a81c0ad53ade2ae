import { type DaySumStore, endOfFinished, sumDays } from '../../lifecycle/retention/sum-days.ts'
import type { Clock } from '../../foundation/clock.ts'
import { dayMs } from '../../foundation/clock.ts'
import type { ServiceStore } from '../store/service-store.ts'

interface Deps {
  store: DaySumStore & Pick<ServiceStore, 'forgetSums'>
  clock: Clock
}

/** Late calls fall into one of these days; all other days are checked once an hour. */
const recentDays = 8
const [everyMs, runsAnHour] = [5 * 60_000, 12]

/** The job. Its first run checks all days, so that a store of an earlier version gets its sums soon after the start. */
export function sumDaysJob(deps: Deps) {
  let runs = 0
  return {
    name: 'sum days',
    everyMs,
    run: (stop?: AbortSignal) => sumFinishedDays(deps, { isWhole: runs++ % runsAnHour === 0, stop }),
  }
}

/** Sums the finished days, and deletes the sums of days that are not over. */
export async function sumFinishedDays(
  { store, clock }: Deps,
  { isWhole = true, stop }: { isWhole?: boolean; stop?: AbortSignal | undefined } = {},
): Promise<{ summed: number }> {
  const now = clock.now()
  const open = endOfFinished(now)
  await store.forgetSums({ from: open })
  const from = isWhole ? 0 : open - recentDays * dayMs
  let summed = 0
  for (const what of ['calls', 'fetches'] as const)
    summed += await sumDays(store, what, { from, until: open, now, stop })
  return { summed }
}
