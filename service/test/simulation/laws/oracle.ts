import type { Said } from '../world/simulated-provider.ts'
import { contactPrice, slackOf, type Terms } from '../world/terms.ts'
import type { Unheard } from '../world/unheard.ts'
import { chargedOf, codeOf, law, projectOf, type Answer, type Call, type SimulatedKey } from './call.ts'
import { Erasures } from './erasures.ts'
import { exercise } from './exercises.ts'
import { Honesty } from './honesty.ts'
import { checkAlerts, checkCeilings, checkMonths, checkPriceBooks, checkRepeats, sumOf } from './ledger-laws.ts'
import { Violation, type Law } from './law.ts'
import { checkHistories, checkPeoplePaidOnce } from './people-laws.ts'
import { pricesOf } from './prices-of.ts'
import type { Ledger } from './read-ledger.ts'

const dayMs = 86_400_000
const ofTestKeys: Law = 'a test key costs nothing and gets only samples'
/** VITAE_HOLD_SECONDS. A node whose clock differs by more takes no paid calls. */
const holdMs = 60_000
/** The lifetime of an idempotency record. */
export const rememberedMs = 72 * 3_600_000

/** Keeps its own ledger from the answers that callers and operators got, and checks the laws. */
export class Oracle {
  readonly calls: Call[] = []
  readonly keys: SimulatedKey[] = []
  /** Keys in test mode. */
  readonly testKeys: SimulatedKey[] = []
  readonly #granted = new Map<string, { least: number; most: number }>()
  readonly erasures: Erasures
  /** Since when each project is known to be suspended: one object per suspension. */
  readonly #suspended = new Map<string, { at: number }>()
  readonly #honesty: Honesty
  readonly #said: Said
  readonly #unheard: Unheard
  readonly #prices: Terms['prices']
  readonly #repeatFreeMs: number
  readonly #cap: number | null
  /** The maximum difference between the nodes' clocks. */
  readonly #slackMs: number
  /** The prices of all books that may have been set. The receipts name the book of each call. */
  readonly #bookPrices = new Set<number>()
  #books = 0

  constructor(said: Said, unheard: Unheard, terms: Terms) {
    const { prices, repeatFreeDays, cap, route } = terms
    this.#slackMs = slackOf(terms)
    this.#cap = cap
    this.#said = said
    this.#prices = prices
    this.#repeatFreeMs = repeatFreeDays * dayMs
    this.#honesty = new Honesty(said, route, this.#slackMs)
    this.erasures = new Erasures(this.#honesty)
    this.#unheard = unheard
  }

  /** A grant or correction was requested. Until the operator gets the result, either outcome is possible. */
  grants(environment: string, amount: number): { done(): void; refused(): void } {
    const range = this.#granted.get(environment) ?? { least: 0, most: 0 }
    this.#granted.set(environment, range)
    if (amount > 0) range.most += amount
    else range.least += amount
    return {
      done: () => void (amount > 0 ? (range.least += amount) : (range.most += amount)),
      refused: () => void (amount > 0 ? (range.most -= amount) : (range.least -= amount)),
    }
  }

  /** The price of the next book, different from the previous one. */
  nextPrice(): number {
    const credits = 1 + (++this.#books % 3)
    this.#bookPrices.add(credits)
    return credits
  }

  suspended(project: string, at: number): void {
    this.#suspended.set(project, { at })
  }

  /** Called even before a repeated suspension: until that is reported, either state may apply. */
  mayBeResumed(project: string): void {
    this.#suspended.delete(project)
  }

  /** The people that addresses have returned; without any, all. Only the former's addresses have known effects. */
  matched(slugs: readonly string[]): readonly string[] {
    const led = slugs.filter((slug) =>
      this.#honesty.ledTo.some((one) => one.by === 'address' && one.told.slug === slug),
    )
    return led.length > 0 ? led : slugs
  }

  /** The number of calls per outcome. */
  get answers(): Record<string, number> {
    const ends = Map.groupBy(
      this.calls,
      ({ by, answer, cutOff }) => `${by} ${cutOff ? 'cut_off' : answer && codeOf(answer)}`,
    )
    return Object.fromEntries([...ends].map(([end, calls]) => [end, calls.length]))
  }

  /** Keys that are not known to be revoked or suspended; otherwise all keys. */
  get working(): readonly SimulatedKey[] {
    const isWorking = (key: SimulatedKey) => key.revokedAt === null && !this.#suspended.has(projectOf(key.environment))
    return this.keys.some(isWorking) ? this.keys.filter(isWorking) : this.keys
  }

  /** Records a call that begins, with the facts that were reported as done before. Returns the check of its answer. */
  began(call: Call): (answer: Answer) => void {
    const { key, environment } = call
    const suspension = this.#suspended.get(projectOf(environment))
    // A key's end is compared with the clock of the node that receives the call.
    const isKeyEnded = key.revokedAt !== null && key.revokedAt <= call.startedAt + call.skewMs
    const mayBePaid = !isKeyEnded && (call.by === 'sample' || !this.erasures.isEnded(call))
    const erased = new Set(this.erasures.people)
    const newest = this.#honesty.newestFor(call)
    this.calls.push(call)
    return (answer) => {
      call.answer = answer
      const { status, headers } = answer
      for (const name of ['x-credits-remaining', 'x-credits-ceiling-remaining'])
        law('no limit is exceeded', Number(headers.get(name) ?? 0) >= 0, call, `${name} is ${headers.get(name)}`)
      exercise('only injected failures occur', status > 500)
      const isClockOff = Math.abs(call.machineAheadMs) > holdMs
      const clocks: Law = 'a node with a wrong clock says so, and takes no paid calls'
      if (isClockOff) law(clocks, chargedOf(answer) === 0, call, 'it was billed')
      law('only injected failures occur', status !== 500, call, 'it ended in a bug')
      exercise('an ended key, project or person stays ended', !mayBePaid || suspension !== undefined)
      const refusedAs = status === 200 ? null : codeOf(answer)
      exercise('nobody gets a stranger', refusedAs === 'identity_mismatch' || refusedAs === 'no_match')
      if (call.by === 'sample') return this.#sampled(call, answer, mayBePaid)
      // With a cost cap, a 404 may only mean that the money ran out, so it withdraws nothing.
      if (status === 404 && this.#cap === null && call.by === 'slug') this.#honesty.missed(call, answer.at)
      if (status !== 200)
        return law('charges match the answers', chargedOf(answer) === 0, call, `a ${status} was billed`)
      law(
        'an ended key, project or person stays ended',
        mayBePaid,
        call,
        'its key or subject was ended before it began',
      )
      // A call may be checked only after the project was resumed.
      const isSuspended = suspension !== undefined && this.#suspended.get(projectOf(environment)) === suspension
      law(
        'an ended key, project or person stays ended',
        !isSuspended,
        call,
        'its project was suspended from before it began to its end',
      )
      const isGone = erased.has(this.#honesty.toldOf(call, answer)?.slug ?? '')
      law(
        'an ended key, project or person stays ended',
        !isGone,
        call,
        'it is about somebody who was erased before it began',
      )
      if (headers.has('idempotent-replayed')) return this.#replayed(call, answer)
      const isPriced = pricesOf(call, answer, {
        variables: this.#prices,
        books: this.#bookPrices,
        areRepeatsFree: this.#repeatFreeMs > 0,
      }).has(chargedOf(answer))
      exercise('charges match the answers', chargedOf(answer) > 0)
      law('charges match the answers', isPriced, call, `it cost ${chargedOf(answer)}`)
      if (call.idempotencyKey !== null) exercise('nothing is billed twice', this.#sameKey(call).length > 1)
      // A call may last longer than its idempotency record. Then a later call with its key is a new one.
      const isRemembered = (first: Call) => Math.min(first.startedAt, call.startedAt) + rememberedMs > answer.at
      const first = this.#firsts(call).find(isRemembered)
      law('nothing is billed twice', !first, call, `call ${first?.number} with the same idempotency key was billed too`)
      this.#honesty.check(call, answer, newest)
    }
  }

  #sampled(call: Call, answer: Answer, mayBeUsed: boolean): void {
    law(
      'an ended key, project or person stays ended',
      mayBeUsed || answer.status !== 200,
      call,
      'its test key was ended before it began',
    )
    exercise(ofTestKeys, answer.status === 200)
    law(ofTestKeys, chargedOf(answer) === 0, call, 'it was billed')
    const isReal = answer.status === 200 && this.#honesty.toldOf(call, answer) !== undefined
    law(ofTestKeys, !isReal, call, 'it got a real record')
  }

  /** Checks the final state, with nothing in progress. */
  atRest(ledger: Ledger): void {
    exercise('the ledger verifies', ledger.payments.length > 0)
    exercise(
      'nothing is held at rest',
      ledger.payments.some((one) => one.held_amount !== null),
    )
    for (const difference of ledger.ledgerDifferences) throw new Violation('the ledger verifies', difference)
    for (const { environment, held } of ledger.environments)
      if (held !== 0) throw new Violation('nothing is held at rest', `${environment}: ${held} credits are still held`)
    this.erasures.atRest(ledger)
    checkHistories(ledger, this.#said)
    this.#payments(ledger)
    this.#receipts(ledger)
    checkCeilings(ledger, this.keys)
    checkAlerts(ledger, this.keys)
    checkPriceBooks(ledger, Object.values(this.#prices))
    checkMonths(ledger)
    if (this.#repeatFreeMs > 0) {
      checkRepeats(ledger, this.#repeatFreeMs, this.#slackMs)
      checkPeoplePaidOnce(ledger, this.calls, this.#honesty, this.#repeatFreeMs - this.#slackMs)
    }
    for (const environment of ledger.environments) this.#environment(environment, ledger)
  }

  #payments({ payments }: Ledger): void {
    const paid = new Set<string>()
    for (const { request_id: id, key_id, environment, at } of payments) {
      if (paid.has(id)) throw new Violation('nothing is billed twice', `request ${id} was paid for twice`)
      paid.add(id)
      if (this.testKeys.some((key) => key.id === key_id)) throw new Violation(ofTestKeys, `request ${id} was paid for`)
      const revokedAt = this.keys.find((key) => key.id === key_id)?.revokedAt ?? Infinity
      if (at > revokedAt + this.#slackMs)
        throw new Violation(
          'an ended key, project or person stays ended',
          `request ${id} was paid for by a revoked key`,
        )
      if (at > (this.#suspended.get(projectOf(environment))?.at ?? Infinity) + this.#slackMs)
        throw new Violation(
          'an ended key, project or person stays ended',
          `request ${id} was paid for by a suspended project`,
        )
    }
  }

  #receipts({ receipts }: Ledger): void {
    const credits = new Map(receipts.map((receipt) => [receipt.request_id, receipt.credits]))
    for (const call of this.calls) {
      const requestId = call.answer?.status === 200 ? call.answer.headers.get('x-request-id') : undefined
      // A replay costs nothing, and the call log records it later, so it may be lost with the process.
      if (requestId === undefined || !call.answer || chargedOf(call.answer) === 0) continue
      const kept = credits.get(requestId)
      if (kept === undefined && this.erasures.concern(call, call.answer)) continue
      law('charges match the answers', kept === chargedOf(call.answer), call, `its receipt says ${kept}`)
    }
  }

  /** The calls with the same request and the same idempotency key. */
  #sameKey({ environment, idempotencyKey, slug, bypass, by, contact }: Call): Call[] {
    const same = this.calls.filter((call) => call.environment === environment && call.idempotencyKey === idempotencyKey)
    const asked = same.filter((call) => call.by === by && call.contact === contact)
    return asked.filter((call) => call.slug === slug && call.bypass === bypass)
  }

  /** Those of them that were answered first. */
  #firsts(call: Call): Call[] {
    if (call.idempotencyKey === null) return []
    const isFirst = ({ answer }: Call) => answer?.status === 200 && !answer.headers.has('idempotent-replayed')
    return this.#sameKey(call).filter((one) => one !== call && isFirst(one))
  }

  #replayed(call: Call, answer: Answer): void {
    const same: Law = 'a replay is the same answer, for free'
    law(same, chargedOf(answer) === 0, call, 'a replay was billed')
    law(same, this.#honesty.toldOf(call, answer) !== undefined, call, 'it is of somebody else')
    const others = this.#sameKey(call).filter((one) => one !== call)
    // A call without a known answer may be the one that is repeated.
    if (others.some((one) => !one.answer || this.#isUnknown(one))) return
    const firsts = this.#firsts(call)
    exercise(same, firsts.length > 0)
    const isKnown = firsts.some(({ answer: first }) => first?.body === answer.body)
    law(same, isKnown, call, 'it differs from the first answer')
    const isForgotten = firsts.every(({ answer: first }) => (first?.at ?? 0) + rememberedMs < call.startedAt)
    law(same, !isForgotten, call, 'the first answer is too long ago')
  }

  /**
   * Whether it is unknown if the call was paid: it was cut off, or the store was unavailable too long after the
   * request.
   */
  #isUnknown({ cutOff, answer }: Call): boolean {
    const requestId = answer?.status === 503 ? answer.headers.get('x-request-id') : undefined
    return cutOff || (requestId !== undefined && this.#unheard.payments.has(requestId))
  }

  /** The spending of an environment equals what its callers, batches and watches were charged. */
  #environment(
    { environment, granted, balance }: Ledger['environments'][number],
    { receipts, batches, recurring }: Ledger,
  ): void {
    const { least, most } = this.#granted.get(environment) ?? { least: 0, most: 0 }
    if (granted < least || granted > most)
      throw new Violation('the ledger verifies', `${environment}: ${granted} were granted, not ${least} to ${most}`)
    const calls = this.calls.filter((call) => call.environment === environment)
    const seen = calls.reduce((sum, { answer }) => sum + (answer ? chargedOf(answer) : 0), 0)
    const looks = receipts.filter((one) => one.environment === environment && one.tag === 'watch')
    const known = seen + sumOf(looks) + sumOf(batches.filter((one) => one.environment === environment))
    const own = batches.filter((one) => one.environment === environment)
    const waiting = own.reduce((sum, { total, ended, gone }) => sum + total - ended + gone, 0)
    const unknown =
      (calls.filter((call) => this.#isUnknown(call)).length + waiting) *
      (contactPrice + Math.max(this.#prices.bypass, ...this.#bookPrices))
    const months = recurring
      .filter((one) => one.environment === environment)
      .reduce((sum, { amount }) => sum + amount, 0)
    const spent = granted + months - balance
    if (spent < known || spent > known + unknown)
      throw new Violation(
        spent < known ? 'charges match the answers' : 'nothing is billed twice',
        `${environment}: ${spent} credits were spent, ${known} are known of and ${unknown} may be`,
      )
  }
}
