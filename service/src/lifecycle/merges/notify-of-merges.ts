import type { Store } from '../../database/store.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { LifecycleOperations } from '../operations.ts'

interface Deps {
  store: Pick<
    Store<LifecycleOperations>,
    'openMerges' | 'openSplits' | 'servedEnvironments' | 'notifyOfMerges' | 'notifyOfSplits'
  >
  clock: Clock
}

const noticesAtOnce = 200
/** So many calls are read in one step, so that others get through between two. */
const callsAtOnce = 2_000

/**
 * Notifies the environments that were served one of two records which have proved to be one, or a record that was split. The
 * call log says who they are. It has no index by record, which every paid call would have to write, so it is read from its
 * beginning, once for many notices, and only when there are any.
 */
export async function notifyOfMerges({ store, clock }: Deps): Promise<void> {
  for (;;) {
    const merges = await store.openMerges({ limit: noticesAtOnce })
    const splits = await store.openSplits({ limit: noticesAtOnce })
    if (merges.length + splits.length === 0) return
    const served = await servedBy(store, [...merges, ...splits])
    const at = clock.now()
    const ofMerges = merges.map((merge) => ({ merge, environmentIds: served(merge) }))
    if (ofMerges.length > 0) await store.notifyOfMerges({ merges: ofMerges, at })
    const ofSplits = splits.map((split) => ({ split, environmentIds: served(split) }))
    if (ofSplits.length > 0) await store.notifyOfSplits({ splits: ofSplits, at })
  }
}

interface Notice {
  entityIds: number[]
}

/** Reads the call log once; gives a function from a notice to the environments that were served its records. */
async function servedBy(store: Deps['store'], notices: readonly Notice[]): Promise<(notice: Notice) => number[]> {
  const entityIds = [...new Set(notices.flatMap((notice) => notice.entityIds))]
  const environments = new Map(entityIds.map((id) => [id, new Set<number>()]))
  for (let after = ''; ;) {
    const { served, next, done } = await store.servedEnvironments({
      entityIds,
      afterRequestId: after,
      limit: callsAtOnce,
    })
    for (const { entityId, environmentId } of served) environments.get(entityId)?.add(environmentId)
    if (done) break
    after = next
  }
  return (notice) => {
    const environmentIds = notice.entityIds.flatMap((id) => [...(environments.get(id) ?? [])])
    return [...new Set(environmentIds)].toSorted((a, b) => a - b)
  }
}
