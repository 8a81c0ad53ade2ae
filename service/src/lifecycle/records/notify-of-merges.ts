import type { Store } from '../../database/engine/operation.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { LifecycleOperations } from '../store/operations.ts'

interface Deps {
  store: Pick<Store<LifecycleOperations>, 'notifyOfMerges'>
  clock: Clock
}

/** Merges or splits per short transaction. */
const noticesAtOnce = 50

/** Notifies the environments that received a merged record, a split record, or a record that was erased meanwhile. */
export async function notifyOfMerges({ store, clock }: Deps): Promise<void> {
  while ((await store.notifyOfMerges({ limit: noticesAtOnce, at: clock.now() })).found > 0) continue
}
