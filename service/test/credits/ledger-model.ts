import type { Decision, SettleRequest, Verdict } from '../../src/credits/settlement-requests.ts'

interface ModelKey {
  chain: string
  ceiling: number | null
  dailyCeiling: number | null
  revokedAt: number | null
}

interface Spend {
  requestId: string
  chain: string
  /** The time of the payment, or of the hold. */
  at: number
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
 * A model of the ledger as plain lists of events. It sums nothing up in advance, and has one environment and one
 * request at a time. Slow, and simple enough to trust.
 */
export class LedgerModel {
  granted = 0
  budget: number | null = null
  readonly keys = new Map<string, ModelKey>()
  readonly countedFrom = new Map<string, number>()
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
    return { ...verdict, available: this.balance - this.held, ...this.#ceiling(key, request.at) }
  }

  /** The spending of all keys of the environment in the month of a moment. */
  spentIn(at: number): number {
    return this.#spent(() => true, monthOf, at)
  }

  /** Days are counted from the day on which a chain of keys first gets a daily ceiling. */
  countDays(chain: string, at: number): void {
    if (!this.countedFrom.has(chain)) this.countedFrom.set(chain, Date.parse(dayOf(at)))
  }

  #ceiling(key: ModelKey | undefined, at: number) {
    const ofMonth = this.#leftOf(key?.ceiling ?? null, key?.chain, monthOf, at)
    const ofDay = this.#leftOf(key?.dailyCeiling ?? null, key?.chain, dayOf, at)
    const lowest = Math.min(ofMonth, ofDay)
    if (lowest === Infinity) return { ceilingRemaining: null, ceilingResetsAt: null }
    const now = new Date(at)
    const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
    const ceilingResetsAt = ofDay < ofMonth ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)
    return { ceilingRemaining: Math.max(0, lowest), ceilingResetsAt }
  }

  #leftOf(limit: number | null, chain: string | undefined, periodOf: PeriodOf, at: number): number {
    return limit === null ? Infinity : limit - this.#spent((spend) => spend.chain === chain, periodOf, at)
  }

  /** The process died, or its holds expired: the held credits are free, and retries start again. */
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
    const at = pays && own ? own.at : request.at
    const [year, month, date] = [new Date(at).getUTCFullYear(), new Date(at).getUTCMonth(), new Date(at).getUTCDate()]
    const [nextDay, nextMonth] = [Date.UTC(year, month, date + 1), Date.UTC(year, month + 1)]
    const ofMonth = this.#leftOf(key.ceiling, key.chain, monthOf, at)
    // A hold from before the first daily ceiling counts in no day.
    const isCounted = at >= (this.countedFrom.get(key.chain) ?? 0)
    const ofDay = isCounted ? this.#leftOf(key.dailyCeiling, key.chain, dayOf, at) : Infinity
    const ofBudget = this.budget === null ? Infinity : this.budget - this.spentIn(at)
    const limits = [
      { limit: 'month', of: key.ceiling, left: ofMonth, renewsAt: nextMonth },
      { limit: 'day', of: key.dailyCeiling, left: ofDay, renewsAt: nextDay },
      { limit: 'credits', of: null, left: this.balance - this.held, renewsAt: null },
      { limit: 'budget', of: this.budget, left: ofBudget, renewsAt: nextMonth },
    ] as const
    const met = amount > 0 ? limits.find(({ left }) => amount > left) : undefined
    if (met) {
      const code = met.limit === 'month' || met.limit === 'day' ? 'credit_ceiling_reached' : 'out_of_credits'
      return { outcome: 'refused', code, limit: { ...met, asked: amount } }
    }

    const spend = { requestId: request.requestId, chain: key.chain, at, amount }
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
    if (memory.done) return { outcome: 'replay', requestId, versionId: 7, foldId: null, source: 'store' }
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

  #spent(isOwn: (spend: Spend) => boolean, periodOf: PeriodOf, at: number): number {
    const all = [...this.payments, ...this.holds]
    return total(all.filter((spend) => isOwn(spend) && periodOf(spend.at) === periodOf(at)))
  }
}

type PeriodOf = (at: number) => string
const monthOf: PeriodOf = (at) => new Date(at).toISOString().slice(0, 7)
const dayOf: PeriodOf = (at) => new Date(at).toISOString().slice(0, 10)

function total(spends: readonly Spend[]): number {
  return spends.reduce((sum, { amount }) => sum + amount, 0)
}
