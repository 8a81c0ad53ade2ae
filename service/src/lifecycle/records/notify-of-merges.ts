import type { UpkeepStore } from '../store/operations.ts'
import type { Clock } from '../../foundation/clock.ts'

interface Deps {
  store: { upkeep: Pick<UpkeepStore, 'notifyOfMerges'> }
  clock: Clock
}

/** Merges or splits per short transaction. */
const noticesAtOnce = 50

/** Notifies the environments that received a merged record, a split record, or a record that was erased meanwhile. */
export async function notifyOfMerges({ store, clock }: Deps): Promise<void> {
  while ((await store.upkeep.notifyOfMerges({ limit: noticesAtOnce, at: clock.now() })).found > 0) continue
}
