import type { Clock } from '../../foundation/clock.ts'
import { dayMs } from '../../foundation/clock.ts'
import type { ServiceStore } from '../store/service-store.ts'

interface Deps {
  store: Pick<ServiceStore, 'sumDay' | 'sumProviderDay' | 'dayToSum' | 'forgetSums'>
  clock: Clock
}

/** A day is summed this long after its end: longer than a call can last, and than the clocks of nodes may differ. */
const afterMs = 3_600_000
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

/**
 * Sums the finished days without sums, newest first, and repeats those into which a call was written late. If it is
 * interrupted, the remaining days are counted call by call.
 */
export async function sumFinishedDays(
  { store, clock }: Deps,
  { isWhole = true, stop }: { isWhole?: boolean; stop?: AbortSignal | undefined } = {},
): Promise<{ summed: number }> {
  const now = clock.now()
  const open = now - afterMs - ((now - afterMs) % dayMs)
  await store.forgetSums({ from: open })
  let summed = 0
  for (const what of ['calls', 'fetches'] as const) {
    const oldest = isWhole ? 0 : open - recentDays * dayMs
    for (let before = open; before > oldest && !stop?.aborted;) {
      const next = await store.dayToSum({ what, before })
      if (!next) break
      const { day, isSummed } = next
      if (!isSummed && (await (what === 'calls' ? store.sumDay : store.sumProviderDay)({ day, now }))) summed += 1
      before = day
    }
  }
  return { summed }
}
