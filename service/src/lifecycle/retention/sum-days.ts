import { dayMs } from '../../foundation/clock.ts'
import type { LifecycleStore } from '../store/operations.ts'

export type DaySumStore = Pick<LifecycleStore, 'sumDay' | 'sumProviderDay' | 'dayToSum'>

/** A day is summed this long after its end: longer than a call can last, and than the clocks of nodes may differ. */
const afterMs = 3_600_000

/** The end of the days that can be summed. */
export function endOfFinished(now: number): number {
  return now - afterMs - ((now - afterMs) % dayMs)
}

/**
 * Sums the days without sums, newest first, and repeats those into which a call was written late. If it is interrupted,
 * the remaining days are counted call by call. Returns the number of summed days.
 */
export async function sumDays(
  store: DaySumStore,
  what: 'calls' | 'fetches',
  { from, until, now, stop }: { from: number; until: number; now: number; stop?: AbortSignal | undefined },
): Promise<number> {
  let summed = 0
  for (let before = until; before > from && !stop?.aborted;) {
    const next = await store.dayToSum({ what, before })
    if (!next) break
    const { day, isSummed } = next
    if (!isSummed && (await (what === 'calls' ? store.sumDay : store.sumProviderDay)({ day, now }))) summed += 1
    before = day
  }
  return summed
}
