import type { Decision, PaymentRequest } from '../../credits/decision/settlement-requests.ts'
import { isLostConnection, wasNeverSent } from '../../database/engine/lost-connection.ts'
import { Failure } from '../../foundation/failure.ts'
import { inSpan } from '../../foundation/tracing.ts'
import type { SavedFetch, SaveFetch } from '../../records/saving/save-fetch.ts'
import type { ReadyRecord } from '../recall/record-cache.ts'
import type { LookupDeps } from './deps.ts'
import { payment, stepOf, type Call } from './pay.ts'

type Deps = Pick<LookupDeps, 'store' | 'earlyPayments' | 'clock' | 'rules'>

/** A call that may fetch a record. Only one that pays for it has an early payment. */
export type FetchingCall = Pick<Call, 'payer' | 'lookup' | 'suppressed'> & { early?: EarlyPayment }

/**
 * The payment of the call that makes a fetch, in the transaction that saves the record. So the answer takes one commit
 * after the hold. Calls that wait for the fetch pay on their own, and so do batches, and calls of an environment that
 * others pay from at the same time: their payments share a settlement.
 */
export class EarlyPayment {
  /** The outcome; null if the payment was not settled with the save. */
  decision: Decision | null = null
  readonly #deps: Deps
  readonly #call: Call
  readonly #known: ReadyRecord | null

  constructor(deps: Deps, call: Call, known: ReadyRecord | null) {
    this.#deps = deps
    this.#call = call
    this.#known = known
  }

  /** Saves a fetched record with the payment, if both can be one transaction. `asSent` is the record without its ids. */
  async save(save: SaveFetch, asSent: ReadyRecord): Promise<SavedFetch> {
    const { store, earlyPayments } = this.#deps
    const { payer, lookup } = this.#call
    const isAlone = earlyPayments?.isIdle(payer.environmentId) && !asSent.notLive && !lookup.isGone?.()
    if (!earlyPayments || !isAlone) return store.records.saveFetch(save)
    const request = payment('capture', this.#deps, this.#call, asSent, { source: 'live' }, this.#known)
    try {
      const saving = () => earlyPayments.saveAndSettle({ save, payment: request })
      const { decision, ...saved } = await inSpan('vitae.settle', { step: request.type }, saving)
      this.decision = decision
      return saved
    } catch (error) {
      return this.#find(save, request, error)
    }
  }

  /** After a lost reply the call was either paid for, and is answered, or its hold is released. */
  async #find({ identity }: SaveFetch, { at }: PaymentRequest, error: unknown): Promise<SavedFetch> {
    const cause = error instanceof Failure ? error.details.cause : error
    if (!isLostConnection(cause) || wasNeverSent(cause)) throw error
    const found = await this.#deps.earlyPayments?.findOrRelease({ ...stepOf(this.#call), type: 'release', at })
    const answered = found?.outcome === 'settled' ? found.answered : undefined
    if (!found || !answered?.entityId || !answered.versionId || !answered.fetchId) throw error
    this.decision = found
    const { entityId, versionId, fetchId } = answered
    const ids = { entityId, versionId, fetchId, key: identity.key }
    // Not served: what the save changed besides is not known, so caches read the record again.
    return { suppressed: false, ...ids, served: false, absorbed: [], fitted: null, folded: null }
  }
}
