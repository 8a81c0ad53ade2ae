import type { GrantStore } from '../../credits/operations.ts'
import type { Clock } from '../../foundation/clock.ts'

/** The time by which expired data is removed: the last certain time, so that a clock that is ahead removes nothing. */
export async function certainTime({
  store,
  clock,
}: {
  store: { grants: Pick<GrantStore, 'knownTime'> }
  clock: Clock
}): Promise<number> {
  return Math.min(clock.now(), (await store.grants.knownTime(null))?.sure ?? Infinity)
}
