import { shared, type Subject } from '../../database/engine/operation.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import type { Decision, PaymentRequest } from '../../credits/decision/settlement-requests.ts'
import { settle } from '../../credits/store/settle.ts'
import { saveFetch, type SavedFetch, type SaveFetch } from '../../records/saving/save-fetch.ts'

interface SaveAndSettle {
  save: SaveFetch
  /** The payment for the record as sent; the store adds its ids. */
  payment: PaymentRequest
}

/** `decision` is null if nothing was settled, so that the payment follows on its own. */
type Paid = SavedFetch & { decision: Decision | null }

/**
 * Saves a fetch and settles the payment of the call that made it, in one transaction. The price is that of the record
 * as sent, so nothing is settled if another one answers the call. It never waits for the environment's lock, because it
 * holds locks on the record. A refused payment is a decision like any other, and the record is saved all the same.
 */
async function saveAndSettle(connection: Connection, { save, payment }: SaveAndSettle): Promise<Paid> {
  const saved = await saveFetch(connection, save)
  if (saved.suppressed || saved.fitted || saved.folded) return { ...saved, decision: null }
  const { entityId, versionId, fetchId, key } = saved
  const call = { ...payment.call, entityId, versionId, fetchId, key }
  const toNote = [[payment.requestId, key]] as const
  const [outcome] = await settle(connection, { requests: [{ ...payment, call }], wait: false, toNote })
  return { ...saved, decision: outcome && outcome.outcome !== 'busy' ? outcome : null }
}

/** The operations of a call that write to several subjects. */
export const lookupOperations = {
  saveAndSettle: shared('synced', saveAndSettle, 'quick'),
}
export type LookupStore = Subject<typeof lookupOperations>
