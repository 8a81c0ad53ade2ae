import { decodeBatch } from '../../../src/credits/store/settlement-wire.ts'

/** The requests whose end the service was not told, in all lives of a seed. It may not know of them what it promises of others. */
export class Unheard {
  /** The answer to their last payment was lost: it may have been made. */
  readonly payments = new Set<string>()
  /** Their last hold or release was refused or its answer lost: something may be held until its time is over. */
  readonly holds = new Set<string>()

  lost(batch: unknown): void {
    for (const { requestId, isPayment } of requestsIn(batch)) (isPayment ? this.payments : this.holds).add(requestId)
  }

  refused(batch: unknown): void {
    for (const { requestId, isPayment } of requestsIn(batch)) if (!isPayment) this.holds.add(requestId)
  }

  /** What was placed by a node whose lease is over meanwhile is not given back by it. */
  heard(batch: unknown, answer: string): void {
    if (this.payments.size + this.holds.size === 0 || answer.includes('superseded')) return
    for (const { requestId, isPayment } of requestsIn(batch)) (isPayment ? this.payments : this.holds).delete(requestId)
  }
}

function requestsIn(batch: unknown): { requestId: string; isPayment: boolean }[] {
  return decodeBatch(String(batch)).requests.map(({ requestId, type }) => ({
    requestId,
    isPayment: type === 'charge' || type === 'capture',
  }))
}
