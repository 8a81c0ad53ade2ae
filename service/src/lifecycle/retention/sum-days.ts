import type { ProviderStore } from '../../providers/operations.ts'
import type { UsageStore } from '../../credits/operations.ts'
import { type Clock, dayMs } from '../../foundation/clock.ts'

interface Deps {
  store: DaySumStore & { usage: Pick<UsageStore, 'forgetSums'> }
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
  await store.usage.forgetSums({ from: open })
  const from = isWhole ? 0 : open - recentDays * dayMs
  let summed = 0
  for (const what of ['calls', 'fetches'] as const)
    summed += await sumDays(store, what, { from, until: open, now, stop })
  return { summed }
}

export type DaySumStore = {
  usage: Pick<UsageStore, 'sumDay' | 'dayToSum'>
  providers: Pick<ProviderStore, 'sumProviderDay'>
}

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
    const next = await store.usage.dayToSum({ what, before })
    if (!next) break
    const { day, isSummed } = next
    if (!isSummed && (await (what === 'calls' ? store.usage.sumDay : store.providers.sumProviderDay)({ day, now })))
      summed += 1
    before = day
  }
  return summed
}
