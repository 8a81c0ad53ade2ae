/** Whom a call asks for, and what becomes of it when it is paid for. */
export const people = { ada: 200, grace: 200, 'missing-person': 404, broken: 502 } as const
export type Who = keyof typeof people

export interface ModelKey {
  /** Keys that came from each other by rotation spend together. */
  chain: number
  ceiling: number | null
  dailyCeiling: number | null
  revokedAt: number | null
}

export interface Asked {
  key: ModelKey
  who: Who
  bypass: boolean
  value: string | null
  now: number
}

export interface Expected {
  status: number
  /** Of a failure. */
  code: string | null
  charged: number | null
  replayed: boolean
  remaining: number | null
  ceilingRemaining: number | null
  /** Seconds. */
  ceilingReset: number | null
}

const codes = { 404: 'not_found', 502: 'upstream_invalid' } as const
const rememberedMs = 72 * 3_600_000

/** One account, told as what its callers see: simple enough to be believed. */
export class AccountModel {
  granted = 0
  budget: number | null = null
  readonly keys: ModelKey[] = []
  readonly #payments: { chain: number; at: number }[] = []
  readonly #values = new Map<string, { request: string; until: number }>()

  get balance(): number {
    return this.granted - this.#payments.length
  }

  /** What a call must be answered with; it is written down as if it had been made. */
  expect(asked: Asked): Expected {
    const { key, now } = asked
    if (key.revokedAt !== null && key.revokedAt <= now) {
      return { ...nothing, status: 401, code: 'revoked_api_key' }
    }
    const verdict = this.#answer(asked)
    return { ...nothing, ...verdict, remaining: this.balance, ...this.#ceiling(key, now) }
  }

  /** What all keys have spent in the month of a moment. */
  spentIn(now: number): number {
    return this.#payments.filter(({ at }) => monthOf(at) === monthOf(now)).length
  }

  #ceiling(key: ModelKey, now: number): Partial<Expected> {
    const [ofMonth, ofDay] = this.#left(key, now)
    if (Math.min(ofMonth, ofDay) === Infinity) return {}
    const end = new Date(now)
    end.setUTCHours(24, 0, 0, 0)
    if (ofMonth <= ofDay) end.setTime(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1))
    const ceilingReset = Math.ceil((end.getTime() - now) / 1_000)
    return { ceilingRemaining: Math.max(0, Math.min(ofMonth, ofDay)), ceilingReset }
  }

  #left({ chain, ceiling, dailyCeiling }: ModelKey, now: number): [ofMonth: number, ofDay: number] {
    const own = this.#payments.filter((payment) => payment.chain === chain)
    const spent = (periodOf: (at: number) => string) => own.filter(({ at }) => periodOf(at) === periodOf(now)).length
    return [(ceiling ?? Infinity) - spent(monthOf), (dailyCeiling ?? Infinity) - spent(dayOf)]
  }

  #answer({ key, who, bypass, value, now }: Asked): Partial<Expected> {
    const request = `${who} ${bypass}`
    const first = value === null ? undefined : this.#values.get(value)
    if (first && now < first.until) {
      if (first.request !== request) return { status: 422, code: 'idempotency_key_reused' }
      return { status: 200, charged: 0, replayed: true }
    }
    if (Math.min(...this.#left(key, now)) < 1) return { status: 402, code: 'credit_ceiling_reached' }
    if (this.balance < 1 || this.spentIn(now) >= (this.budget ?? Infinity))
      return { status: 402, code: 'out_of_credits' }
    const status = people[who]
    if (status !== 200) return { status, code: codes[status] }
    this.#payments.push({ chain: key.chain, at: now })
    if (value !== null) this.#values.set(value, { request, until: now + rememberedMs })
    return { status, charged: 1 }
  }
}

const nothing: Expected = {
  status: 0,
  code: null,
  charged: null,
  replayed: false,
  remaining: null,
  ceilingRemaining: null,
  ceilingReset: null,
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}
