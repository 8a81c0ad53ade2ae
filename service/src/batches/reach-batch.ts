import type { Caller } from '../accounts/key-cache.ts'
import { mayNotBuy, reachedBy } from '../accounts/key-rights.ts'
import { plainFailure } from '../foundation/failure.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { mostFor } from '../lookup/pay.ts'
import { optionsOf } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import type { StoredBatch } from './store/submit-batch.ts'

/** The batch with an id, if the key may access it; checked each time, because rights may change after its creation. */
export async function findBatch({ store }: BatchDeps, caller: Caller, publicId: string): Promise<StoredBatch> {
  const batch = await store.showBatch({ environmentId: caller.environmentId, publicId })
  return reachedBy(caller, batch && { ...batch, parts: optionsOf(batch).include }, 'There is no such batch.')
}

/** A key that can buy no records may neither read them nor make others pay for them. */
export function checkMayBuy(lookup: LookupDeps, caller: Caller, { kind }: StoredBatch): void {
  if (mayNotBuy(caller, mostFor(lookup, caller, kind))) throw plainFailure('credit_ceiling_reached')
}
