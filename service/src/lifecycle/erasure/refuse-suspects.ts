import type { ErasureStore } from '../store/operations.ts'
import type { EntityStore } from '../../records/operations.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Subject } from './erase-subjects.ts'

/**
 * Refuses to erase records whose versions name different subjects: erasing one would remove and suppress the other. An
 * operator must split such a record first, or confirm that it is one subject.
 */
export async function refuseSuspects(
  store: {
    erasure: Pick<ErasureStore, 'planErasure'>
    entities: Pick<EntityStore, 'suspectsAmong'>
  },
  subjects: readonly Subject[],
): Promise<void> {
  const keys: string[] = []
  for (const { kind, ref, entityIds } of subjects) {
    const { entities } = await store.erasure.planErasure({ kind, ref })
    const meant = entities.filter((entity) => entityIds === undefined || entityIds.includes(entity.entityId))
    const suspects = await store.entities.suspectsAmong({ entityIds: meant.map(({ entityId }) => entityId) })
    keys.push(
      ...meant.filter((one) => suspects.some(({ entityId }) => entityId === one.entityId)).map(({ key }) => key),
    )
  }
  if (keys.length === 0) return
  throw new Failure('conflict', {
    detail: `Nothing was erased. Versions of ${keys.join(', ')} have names that contradict each other, so the record may be two subjects, and erasing one would suppress the other. Split it first (vitae records suspects, vitae records split), or erase it as one with erase_suspects (--erase-suspects).`,
  })
}
