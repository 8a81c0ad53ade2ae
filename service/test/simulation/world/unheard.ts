import { decodeBatch, type SentBatch } from '../../../src/credits/store/settlement-wire.ts'

/** Requests whose outcome the service never learned, in all lives of a seed. Some guarantees do not apply to them. */
export class Unheard {
  /** The reply to their last payment was lost, so it may have been made. */
  readonly payments = new Set<string>()
  /** Their last hold or release was refused or its reply lost, so credits may stay held until the hold expires. */
  readonly holds = new Set<string>()

  lost(batch: unknown): void {
    for (const { requestId, isPayment } of requestsIn(batch)) (isPayment ? this.payments : this.holds).add(requestId)
  }

  refused(batch: unknown): void {
    for (const { requestId, isPayment } of requestsIn(batch)) if (!isPayment) this.holds.add(requestId)
  }

  /**
   * Forgets requests whose outcome arrived. A superseded reply does not count: the node's lease had expired, so its
   * holds stay.
   */
  heard(batch: unknown, answer: string): void {
    if (this.payments.size + this.holds.size === 0 || answer.includes('superseded')) return
    for (const { requestId, isPayment } of requestsIn(batch)) (isPayment ? this.payments : this.holds).delete(requestId)
  }
}

function requestsIn(batch: unknown): { requestId: string; isPayment: boolean }[] {
  return decodeBatch(batch as SentBatch).requests.map(({ requestId, type }) => ({
    requestId,
    isPayment: type === 'charge' || type === 'capture',
  }))
}
