import type { Clock } from '../../foundation/clock.ts'
import { dayMs } from '../../foundation/clock.ts'
import type { ServiceStore } from '../store/service-store.ts'

interface Deps {
  store: Pick<ServiceStore, 'sumDay' | 'sumProviderDay' | 'dayToSum' | 'forgetSums'>
  clock: Clock
}

/** So long after its end a day is summed: longer than a call can last, and than clocks of nodes may differ. */
const afterMs = 3_600_000

/**
 * Sums the days that are over and have no sums yet, the newest first, and again those into which a call was written late. Whatever
 * stops it, the days that it did not come to are counted call by call.
 */
export async function sumFinishedDays({ store, clock }: Deps, stop?: AbortSignal): Promise<{ summed: number }> {
  const now = clock.now()
  const open = now - afterMs - ((now - afterMs) % dayMs)
  await store.forgetSums({ from: open })
  let summed = 0
  for (const what of ['calls', 'fetches'] as const)
    for (let before = open; !stop?.aborted;) {
      const next = await store.dayToSum({ what, before })
      if (!next) break
      const { day, isSummed } = next
      if (!isSummed && (await (what === 'calls' ? store.sumDay : store.sumProviderDay)({ day, now }))) summed += 1
      before = day
    }
  return { summed }
}
