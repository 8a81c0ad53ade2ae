import { monthOf } from '../../src/credits/decision/ledger-snapshot.ts'
import type { Decision, SettleRequest, Verdict } from '../../src/credits/settlement-requests.ts'

interface ModelKey {
  chain: string
  ceiling: number | null
  revokedAt: number | null
}

interface Spend {
  requestId: string
  chain: string
  month: string
  amount: number
}

interface OpenHold extends Spend {
  expiresAt: number
  value: string | null
}

interface Memory {
  requestId: string
  fingerprint: string
  done: boolean
  expiresAt: number
}

/**
 * What a ledger should do, told as lists of what happened: nothing is summed up until it is asked for, and there is one
 * account and one request at a time. Slow, and simple enough to be believed.
 */
export class LedgerModel {
  granted = 0
  readonly keys = new Map<string, ModelKey>()
  readonly payments: Spend[] = []
  holds: OpenHold[] = []
  readonly memories = new Map<string, Memory>()

  get balance(): number {
    return this.granted - total(this.payments)
  }

  get held(): number {
    return total(this.holds)
  }

  expect(request: SettleRequest): Decision {
    const verdict = this.#verdict(request)
    const key = this.keys.get(request.keyId)
    const left = key && key.ceiling !== null ? key.ceiling - this.#spent(key.chain, monthOf(request.at)) : null
    return {
      ...verdict,
      available: this.balance - this.held,
      ceilingRemaining: left === null ? null : Math.max(0, left),
    }
  }

  /** The process died, or its holds expired: what they set aside is free, and their retries start again. */
  dropHolds(gone: (hold: OpenHold) => boolean): void {
    for (const { value, requestId } of this.holds.filter(gone)) this.#forgetRunning(value, requestId)
    this.holds = this.holds.filter((hold) => !gone(hold))
  }

  #verdict(request: SettleRequest): Verdict {
    const key = this.keys.get(request.keyId)
    if (!key) throw new Error(`the model has no key ${request.keyId}`)
    const own = this.holds.find((hold) => hold.requestId === request.requestId)
    if (request.type !== 'hold' && request.type !== 'check') this.dropHolds((hold) => hold === own)
    if (request.type === 'release') return { outcome: 'settled', charged: 0 }

    if (key.revokedAt !== null && key.revokedAt <= request.at) return { outcome: 'refused', code: 'revoked_api_key' }
    const remembered = this.#remembered(request)
    if (remembered) return remembered
    const pays = request.type === 'charge' || request.type === 'capture'
    const amount = pays ? request.price : request.amount
    const month = pays && own ? own.month : monthOf(request.at)
    if (amount > 0 && this.#spent(key.chain, month) + amount > (key.ceiling ?? Infinity)) {
      return { outcome: 'refused', code: 'credit_ceiling_reached' }
    }
    if (amount > 0 && amount > this.balance - this.held) return { outcome: 'refused', code: 'out_of_credits' }

    const spend = { requestId: request.requestId, chain: key.chain, month, amount }
    if (pays) this.payments.push(spend)
    if (request.type === 'hold') {
      this.holds.push({ ...spend, expiresAt: request.expiresAt, value: request.idempotency?.hash ?? null })
    }
    this.#remember(request)
    return { outcome: 'settled', charged: pays ? amount : 0 }
  }

  #remembered(request: SettleRequest): Verdict | null {
    const { idempotency, at, type } = request
    const memory = idempotency && this.memories.get(idempotency.hash)
    if (!memory || memory.expiresAt <= at) return null
    if (memory.fingerprint !== idempotency.fingerprint) return { outcome: 'mismatch' }
    const { requestId, expiresAt } = memory
    if (memory.done) return { outcome: 'replay', requestId, versionId: 7, source: 'store' }
    return type === 'capture' ? null : { outcome: 'running', requestId, expiresAt }
  }

  #remember(request: SettleRequest): void {
    if (!request.idempotency || request.type === 'check' || request.type === 'release') return
    const { hash, fingerprint, expiresAt } = request.idempotency
    const { requestId } = request
    const running = request.type === 'hold'
    this.memories.set(hash, {
      requestId,
      fingerprint,
      done: !running,
      expiresAt: running ? request.expiresAt : expiresAt,
    })
  }

  #forgetRunning(value: string | null, requestId: string): void {
    const memory = value === null ? undefined : this.memories.get(value)
    if (value !== null && memory && !memory.done && memory.requestId === requestId) this.memories.delete(value)
  }

  #spent(chain: string, month: string): number {
    return total([...this.payments, ...this.holds].filter((spend) => spend.chain === chain && spend.month === month))
  }
}

function total(spends: readonly Spend[]): number {
  return spends.reduce((sum, { amount }) => sum + amount, 0)
}
