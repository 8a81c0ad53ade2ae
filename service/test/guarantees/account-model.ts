/** Whom a call asks for, and what becomes of it when it is paid for. */
export const people = { ada: 200, grace: 200, 'missing-person': 404, broken: 502 } as const
export type Who = keyof typeof people

export interface ModelKey {
  /** Keys that came from each other by rotation spend together. */
  chain: number
  ceiling: number | null
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
}

const codes = { 404: 'not_found', 502: 'upstream_invalid' } as const
const rememberedMs = 72 * 3_600_000

/** One account, told as what its callers see: simple enough to be believed. */
export class AccountModel {
  granted = 0
  readonly keys: ModelKey[] = []
  readonly #payments: { chain: number; month: string }[] = []
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
    const left = key.ceiling === null ? null : Math.max(0, key.ceiling - this.#spent(key.chain, now))
    return { ...nothing, ...verdict, remaining: this.balance, ceilingRemaining: left }
  }

  #answer({ key, who, bypass, value, now }: Asked): Partial<Expected> {
    const request = `${who} ${bypass}`
    const first = value === null ? undefined : this.#values.get(value)
    if (first && now < first.until) {
      if (first.request !== request) return { status: 422, code: 'idempotency_key_reused' }
      return { status: 200, charged: 0, replayed: true }
    }
    if (key.ceiling !== null && this.#spent(key.chain, now) >= key.ceiling)
      return { status: 402, code: 'credit_ceiling_reached' }
    if (this.balance < 1) return { status: 402, code: 'out_of_credits' }
    const status = people[who]
    if (status !== 200) return { status, code: codes[status] }
    this.#payments.push({ chain: key.chain, month: monthOf(now) })
    if (value !== null) this.#values.set(value, { request, until: now + rememberedMs })
    return { status, charged: 1 }
  }

  #spent(chain: number, now: number): number {
    return this.#payments.filter((payment) => payment.chain === chain && payment.month === monthOf(now)).length
  }
}

const nothing: Expected = {
  status: 0,
  code: null,
  charged: null,
  replayed: false,
  remaining: null,
  ceilingRemaining: null,
}

function monthOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}
