import { decodeBatch, type SentBatch } from '../../../src/credits/store/settlement-wire.ts'

/** Requests whose outcome the service never learned, in all lives of a seed. Some guarantees do not apply to them. */
export class Unheard {
  /** The reply to their last payment was lost, so it may have been made. */
  readonly payments = new Set<string>()
  /** Their last hold or release was refused or its reply lost, so credits may stay held until the hold expires. */
  readonly holds = new Set<string>()

  lost(batch: unknown): void {
    for (const { requestId, pays, holds } of requestsIn(batch)) {
      if (pays) this.payments.add(requestId)
      if (holds) this.holds.add(requestId)
    }
  }

  refused(batch: unknown): void {
    for (const { requestId, holds } of requestsIn(batch)) if (holds) this.holds.add(requestId)
  }

  /**
   * Forgets requests whose outcome arrived. A superseded reply does not count: the node's lease had expired, so its
   * holds stay.
   */
  heard(batch: unknown, answer: string): void {
    if (this.payments.size + this.holds.size === 0 || answer.includes('superseded')) return
    for (const { requestId, pays, holds } of requestsIn(batch)) {
      if (pays) this.payments.delete(requestId)
      if (holds) this.holds.delete(requestId)
    }
  }
}

/**
 * A repeated release finds a payment that was settled with a save and whose reply was lost. So that payment is unknown
 * only if the reply to the release is lost, too.
 */
function requestsIn(batch: unknown): { requestId: string; pays: boolean; holds: boolean }[] {
  const { requests, retry = false } = decodeBatch(batch as SentBatch)
  return requests.map(({ requestId, type }) => {
    const isPayment = type === 'charge' || type === 'capture'
    return { requestId, pays: isPayment || (type === 'release' && retry), holds: !isPayment }
  })
}
