import type { Clock } from '../../foundation/clock.ts'
import type { ServiceStore } from '../store/service-store.ts'

/** The time by which expired data is removed: the last certain time, so that a clock that is ahead removes nothing. */
export async function certainTime({
  store,
  clock,
}: {
  store: Pick<ServiceStore, 'knownTime'>
  clock: Clock
}): Promise<number> {
  return Math.min(clock.now(), (await store.knownTime(null))?.sure ?? Infinity)
}
