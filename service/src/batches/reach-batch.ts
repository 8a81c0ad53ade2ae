import type { Caller } from '../accounts/key-cache.ts'
import { mayNotBuy, reachedBy } from '../accounts/key-rights.ts'
import { plainFailure } from '../foundation/failure.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { mostFor } from '../lookup/pay.ts'
import { optionsOf } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import type { StoredBatch } from './store/submit-batch.ts'

/** The batch with an id, for a key that may reach it: checked each time, because rights change after it was made. */
export async function findBatch({ store }: BatchDeps, caller: Caller, publicId: string): Promise<StoredBatch> {
  const batch = await store.showBatch({ environmentId: caller.environmentId, publicId })
  return reachedBy(caller, batch && { ...batch, parts: optionsOf(batch).include }, 'There is no such batch.')
}

/** Records are closed to a key that can buy none, and so is letting others' money be spent. */
export function checkMayBuy(lookup: LookupDeps, caller: Caller, { kind }: StoredBatch): void {
  if (mayNotBuy(caller, mostFor(lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
}
