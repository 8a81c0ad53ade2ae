import type { OperatorBatch } from '@vitae/contract/admin'
import { batchView } from '../../../batches/batch-view.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { OwnedBatch } from '../../../batches/store/show-batch.ts'
import type { AppDeps } from '../../exchange/deps.ts'

/** A batch as operators see it: the caller's view plus its owner. */
export function operatorBatch(row: OwnedBatch, now: number): OperatorBatch {
  const { project, environment, mode, key_id, key_label } = row
  return { ...batchView(row, now), project, environment, mode, key_id, key_label }
}

/** Finds a batch by id, or fails with 404. */
export async function findBatch({ store }: Pick<AppDeps, 'store'>, id: string): Promise<OwnedBatch> {
  const batch = await store.ownedBatch({ publicId: id })
  if (batch) return batch
  throw new Failure('not_found', { detail: `There is no batch ${id}. Batches are removed some days after their end.` })
}
