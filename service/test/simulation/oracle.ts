import type { Told } from './simulated-provider.ts'

/** One call as its caller knows it. */
export interface Call {
  number: number
  account: string
  key: SimulatedKey
  slug: string
  bypass: boolean
  /** Its Idempotency-Key. */
  mark: string | null
  startedAt: number
  answer: Answer | null
  /** The process died before the answer came. */
  cutOff: boolean
}

export interface Answer {
  status: number
  headers: ReadonlyMap<string, string>
  body: string
  at: number
}

export interface SimulatedKey {
  id: string
  text: string
  account: string
  ceiling: number | null
  dailyCeiling: number | null
  /** Set when the revocation was reported as done. */
  revoked: boolean
}

/** What the store says at rest. */
export interface Books {
  accounts: {
    account: string
    granted: number
    balance: number
    held: number
    budget: number | null
    spentThisMonth: number
  }[]
  keys: { id: string; month: number; day: number }[]
  /** Of every answered call: what the receipt says it cost. */
  receipts: ReadonlyMap<string, number>
  /** Charges and captures in the ledger, by request. */
  entries: ReadonlyMap<string, number>
  ledgerDifferences: readonly string[]
}

const price = 1
const dayMs = 86_400_000
const rememberedMs = 72 * 3_600_000
const defaultMaxAgeMs = 7 * dayMs

/** A law of the product was broken. */
export class Violation extends Error {}

/** Keeps books of its own from nothing but what callers and operators were told, and knows the laws. */
export class Oracle {
  readonly #calls: Call[] = []
  readonly #granted = new Map<string, number>()
  readonly #erased = new Set<string>()
  readonly #suspended = new Set<string>()
  readonly #told: () => readonly Told[]

  constructor(told: () => readonly Told[]) {
    this.#told = told
  }

  granted(account: string, amount: number): void {
    this.#granted.set(account, (this.#granted.get(account) ?? 0) + amount)
  }

  suspended(account: string, is: boolean): void {
    if (is) this.#suspended.add(account)
    else this.#suspended.delete(account)
  }

  erased(slug: string): void {
    this.#erased.add(slug)
  }

  /** Notes a call that begins, with what must hold for it because it was reported as done before. */
  began(call: Call): (answer: Answer) => void {
    const { key, slug, account, mark } = call
    const mayBePaid = !key.revoked && !this.#suspended.has(account) && !this.#erased.has(slug)
    const first = mark === null ? null : this.#firstOf(call)
    this.#calls.push(call)
    return (answer) => {
      call.answer = answer
      const { status } = answer
      if (status !== 200) return this.#law(chargedOf(answer) === 0, call, `a ${status} was billed`)
      this.#law(mayBePaid, call, 'it was answered although its key, project or subject was ended before it began')
      if (answer.headers.has('idempotent-replayed')) return this.#replayed(call, answer)
      this.#law(chargedOf(answer) === price, call, `it cost ${chargedOf(answer)} instead of ${price}`)
      const again = first && first.startedAt + rememberedMs > answer.at
      this.#law(!again, call, `call ${first?.number ?? 0} with the same mark was billed already`)
      this.#honest(call, answer)
    }
  }

  /** Everything has come to rest: nothing is on its way. */
  atRest(books: Books): void {
    for (const difference of books.ledgerDifferences) throw new Violation(`the ledger does not verify: ${difference}`)
    for (const account of books.accounts) this.#account(account)
    for (const { id, month, day } of books.keys) this.#key(id, month, day)
    for (const [requestId, count] of books.entries)
      if (count > 1) throw new Violation(`request ${requestId} has ${count} charges in the ledger`)
    for (const call of this.#calls) {
      const requestId = call.answer?.status === 200 ? call.answer.headers.get('x-request-id') : undefined
      // A replay costs nothing and is noted later, by the call log: it may be lost with the process.
      if (requestId === undefined || !call.answer || chargedOf(call.answer) === 0) continue
      const kept = books.receipts.get(requestId)
      if (this.#erased.has(call.slug) && kept === undefined) continue
      this.#law(kept === chargedOf(call.answer), call, `its receipt says ${kept}, its answer ${chargedOf(call.answer)}`)
    }
  }

  /** Which of the earlier calls with this mark was the one that was answered, or is replayed. */
  #firstOf({ account, mark, slug, bypass }: Call): Call | null {
    const same = this.#calls.filter((call) => call.account === account && call.mark === mark && call.slug === slug)
    return same.find((call) => call.bypass === bypass && call.answer?.status === 200) ?? null
  }

  #replayed(call: Call, answer: Answer): void {
    this.#law(chargedOf(answer) === 0, call, 'a replay was billed')
    const first = this.#firstOf({ ...call, answer: null })
    if (first && first !== call && first.answer)
      this.#law(first.answer.body === answer.body, call, `its replay differs from the answer to call ${first.number}`)
  }

  /** Source and age say where the text came from and when. */
  #honest(call: Call, { headers, body, at }: Answer): void {
    const { headline } = JSON.parse(body) as { headline: string }
    const told = this.#told().find(({ text, slug }) => text === headline && slug === call.slug)
    this.#law(told !== undefined, call, `no provider ever said "${headline}" of ${call.slug}`)
    const source = headers.get('x-data-source')
    const fetchedAt = Date.parse(headers.get('x-fetched-at') ?? '')
    const toldAt = told?.at ?? 0
    this.#law(
      Math.abs(fetchedAt - toldAt) < 1,
      call,
      `X-Fetched-At is ${fetchedAt}, the provider answered at ${toldAt}`,
    )
    const age = Number(headers.get('x-data-age-seconds'))
    if (source === 'live') return this.#law(toldAt >= call.startedAt && age === 0, call, 'an old copy is called live')
    this.#law(age === Math.floor((at - toldAt) / 1_000), call, `an age of ${age} s is wrong`)
    this.#law(!call.bypass, call, 'bypass_cache was answered from the store')
    if (source === 'store')
      this.#law(call.startedAt - toldAt <= defaultMaxAgeMs, call, 'a copy that is too old was served')
  }

  #account({ account, granted, balance, held, budget, spentThisMonth }: Books['accounts'][number]): void {
    if (held !== 0) throw new Violation(`${account}: ${held} credits are still held at rest`)
    if (balance < 0) throw new Violation(`${account}: the balance is ${balance}`)
    if (budget !== null && spentThisMonth > budget)
      throw new Violation(`${account}: ${spentThisMonth} spent of a monthly budget of ${budget}`)
    // A grant whose end the operator never heard of may have been made.
    const told = this.#granted.get(account) ?? 0
    if (granted < told) throw new Violation(`${account}: ${told} credits were granted, the ledger knows of ${granted}`)
    const spent = granted - balance
    const calls = this.#calls.filter((call) => call.account === account)
    const seen = calls.reduce((sum, { answer }) => sum + (answer ? chargedOf(answer) : 0), 0)
    // Of a call that was cut off nobody was told whether it had been paid for.
    const unseen = calls.filter(({ cutOff }) => cutOff).length * price
    if (spent < seen || spent > seen + unseen)
      throw new Violation(
        `${account}: ${spent} credits were spent, callers were told of ${seen}, ${unseen} are unknown`,
      )
  }

  #key(id: string, month: number, day: number): void {
    const key = this.#calls.find((call) => call.key.id === id)?.key
    const { ceiling = null, dailyCeiling = null } = key ?? {}
    if (ceiling !== null && month > ceiling) throw new Violation(`key ${id}: ${month} spent of a ceiling of ${ceiling}`)
    if (dailyCeiling !== null && day > dailyCeiling)
      throw new Violation(`key ${id}: ${day} spent today of a daily ceiling of ${dailyCeiling}`)
  }

  #law(holds: boolean, { number, slug, key: { id } }: Call, what: string): void {
    if (!holds) throw new Violation(`call ${number} for ${slug} with key ${id}: ${what}`)
  }
}

function chargedOf({ headers }: Answer): number {
  return Number(headers.get('x-credits-charged') ?? 0)
}
