import { settleWithin } from '../credits/store/settle.ts'
import type { CaptureRequest, Decision } from '../credits/settlement-requests.ts'
import { groupCommit } from '../database/sql/group-commit.ts'
import { statementsIn } from '../database/sql/statements.ts'
import { saveFetchWithin, type SavedFetch, type SaveFetch } from '../records/versions/save-fetch.ts'

export interface SaveAndPay {
  fetch: SaveFetch
  /** Of the call that fetched: what was saved is entered into it. */
  payment: CaptureRequest
  /** It may have been done before, without the answer being heard: then it is not paid a second time. */
  retry?: boolean
}

/**
 * Keeps what a provider answered and takes the payment of the call that asked, in one commit: either both are done or
 * neither. A payment that is refused leaves the record saved. Of a suppressed subject nothing is written, nor paid.
 */
export const saveFetchAndPay = groupCommit(
  'synced',
  async (
    tx,
    dialect,
    { fetch, payment, retry = false }: SaveAndPay,
  ): Promise<{ saved: SavedFetch; paid: Decision | null }> => {
    const saved = await saveFetchWithin(tx, dialect, fetch)
    if (saved.suppressed) return { saved, paid: null }
    const { entityId, versionId, fetchId } = saved
    const request = { ...payment, call: { ...payment.call, entityId, versionId, fetchId } }
    return { saved, paid: await settleWithin(statementsIn(tx, dialect), request, { retry }) }
  },
)
