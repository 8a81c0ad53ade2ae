import { Batch } from '@vitae/contract'
import Type, { type Static } from 'typebox'
import { batchView } from '../../../batches/batch-view.ts'
import { Failure } from '../../../foundation/failure.ts'
import type { OwnedBatch } from '../../../batches/store/operator-batches.ts'
import type { AppDeps } from '../../deps.ts'
import { orNull } from '../schemas.ts'

export const OperatorBatch = Type.Object({
  ...Batch.properties,
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  key_id: Type.String({ description: 'The key that pays.' }),
  key_label: orNull(Type.String()),
})

/** A batch as operators see it: what its caller sees, and whose it is. */
export function operatorBatch(row: OwnedBatch, now: number): Static<typeof OperatorBatch> {
  const { project, environment, mode, key_id, key_label } = row
  return { ...batchView(row, now), project, environment, mode, key_id, key_label }
}

/** The batch of an id, which has to be there. */
export async function findBatch({ store }: Pick<AppDeps, 'store'>, id: string): Promise<OwnedBatch> {
  const batch = await store.ownedBatch({ publicId: id })
  if (batch) return batch
  throw new Failure('not_found', { detail: `There is no batch ${id}. Batches are removed some days after their end.` })
}
