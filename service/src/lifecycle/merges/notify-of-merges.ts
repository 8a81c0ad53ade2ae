import type { Store } from '../../database/store.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { LifecycleOperations } from '../operations.ts'

interface Deps {
  store: Pick<Store<LifecycleOperations>, 'openMerges' | 'servedEnvironments' | 'notifyOfMerges'>
  clock: Clock
}

const mergesAtOnce = 200
/** So many calls are read in one step, so that others get through between two. */
const callsAtOnce = 2_000

/**
 * Notifies the environments that were served one of two records which have proved to be one. The call log says who they
 * are. It has no index by record, which every paid call would have to write, so it is read from its beginning, once for
 * many merges, and only when there are any.
 */
export async function notifyOfMerges({ store, clock }: Deps): Promise<void> {
  for (;;) {
    const merges = await store.openMerges({ limit: mergesAtOnce })
    if (merges.length === 0) return
    const entityIds = [...new Set(merges.flatMap((merge) => merge.entityIds))]
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
    const notices = merges.map((merge) => {
      const environmentIds = merge.entityIds.flatMap((id) => [...(environments.get(id) ?? [])])
      return { merge, environmentIds: [...new Set(environmentIds)].toSorted((a, b) => a - b) }
    })
    await store.notifyOfMerges({ merges: notices, at: clock.now() })
  }
}
