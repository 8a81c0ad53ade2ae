import { Violation } from './law.ts'
import { contactPrice } from '../world/terms.ts'
import type { SimulatedKey } from './call.ts'
import { exercise } from './exercises.ts'
import { spentByPeriod, type Ledger } from './read-ledger.ts'

interface Alert {
  key: string
  period: string
  ceiling: number
  watches_paused?: number
}

/** No key, and no chain of rotated keys, has paid more than its ceilings, per UTC day and month. */
export function checkCeilings({ payments }: Ledger, keys: readonly SimulatedKey[]): void {
  for (const { chain, ceiling, dailyCeiling } of keys) {
    const ids = new Set(keys.filter((key) => key.chain === chain).map(({ id }) => id))
    for (const [period, sum] of spentByPeriod(payments.filter(({ key_id: id }) => ids.has(id)))) {
      const limit = period.length === 7 ? ceiling : dailyCeiling
      exercise('no limit is exceeded', sum === limit)
      if (limit !== null && sum > limit)
        throw new Violation('no limit is exceeded', `key ${chain} paid ${sum} in ${period}, of ${limit}`)
    }
  }
}

/** Spending that reaches a ceiling, which rotated keys share, creates one event, and no event twice. */
export function checkAlerts(ledger: Ledger, keys: readonly SimulatedKey[]): void {
  const notified = new Set<string>()
  for (const { type, data } of ledger.alerts) {
    const { key, period, ceiling, watches_paused } = JSON.parse(data) as Alert
    // Events about paused watches are separate.
    if (watches_paused !== undefined) continue
    const event = `${type} ${ledger.chains.get(key)} ${period} ${ceiling}`
    if (notified.has(event)) throw broken(`${event} was notified twice`)
    notified.add(event)
  }
  for (const { chain, ceiling, dailyCeiling } of keys) {
    const own = ledger.payments.filter(({ key_id: id }) => ledger.chains.get(id) === chain)
    for (const [period, spent] of spentByPeriod(own)) {
      const limit = period.length === 7 ? ceiling : dailyCeiling
      const event = `ceiling.reached ${chain} ${period} ${limit}`
      exercise('spending at a ceiling is notified, once', limit !== null && spent >= limit)
      if (limit !== null && spent >= limit && !notified.has(event)) throw broken(`${event} was not notified`)
    }
  }
}

/**
 * The held amount is the highest cost by the price book that the receipt names, and that book was valid at the time of
 * the hold.
 */
export function checkPriceBooks({ payments, priceBooks }: Ledger, variables: readonly number[]): void {
  const books = new Map(priceBooks.map((book) => [book.version, book]))
  for (const { request_id: id, held_amount: held, price, placed_at: at } of payments) {
    if (price === null) continue
    const version = Number(price.split(' ')[0])
    const book = books.get(version)
    exercise('a call is held and paid by one price book', held !== null && books.size > 1)
    const [line] = book ? (JSON.parse(book.lines) as { credits: number }[]) : []
    const isRight = line
      ? held === null || held === line.credits || held === line.credits + contactPrice
      : version === 0 && (held === null || variables.includes(held))
    if (!isRight || (book && book.valid_from > at))
      throw new Violation(
        'a call is held and paid by one price book',
        `request ${id} held ${held} and was paid by ${price}`,
      )
  }
}

/** No month of an environment is granted twice, or expires twice. */
export function checkMonths({ recurring }: Ledger): void {
  const seen = new Set<string>()
  for (const { environment, reason } of recurring) {
    const name = `${environment}: ${reason}`
    exercise(
      'a month is granted once',
      [...seen].some((one) => one.startsWith(environment)),
    )
    if (seen.has(name)) throw new Violation('a month is granted once', name)
    seen.add(name)
  }
}

/** An environment that paid for a record does not pay again within the window. */
export function checkRepeats({ receipts }: Ledger, windowMs: number, slackMs: number): void {
  // An erasure removes the record from receipts one by one.
  const erased = new Set(receipts.filter((one) => one.entity_id === null).map(({ environment }) => environment))
  const known = receipts.filter((one) => one.entity_id !== null)
  for (const [record, own] of Map.groupBy(known, ({ environment, entity_id }) => `${environment} ${entity_id}`)) {
    exercise('while repeats are free a record is paid for once', own.length > 1)
    const unpaid = own.find((one) => one.credits < addedTo(one))
    if (unpaid) throw new Violation('charges match the answers', `request ${unpaid.request_id} got a part for nothing`)
    const paid = own.filter((one) => one.credits > addedTo(one))
    const isNear = (one: number, other: number) => Math.abs(one - other) <= windowMs - slackMs
    const isPaidTwice = paid.some((one, index) => paid.slice(0, index).some((other) => isNear(one.at, other.at)))
    const isUnpaid = own.some(({ at }) => !paid.some((one) => one.at >= at - windowMs - slackMs))
    if (isPaidTwice || (isUnpaid && !erased.has(own[0]?.environment ?? '')))
      throw new Violation('while repeats are free a record is paid for once', record)
  }
}

/** The price of the parts in a receipt. They are paid even if the record is free. */
function addedTo({ price }: Ledger['receipts'][number]): number {
  return Number(/ contact:(\d+)/.exec(price ?? '')?.[1] ?? 0)
}

/** The credits of a list together. */
export function sumOf(list: readonly { credits: number }[]): number {
  return list.reduce((sum, { credits }) => sum + credits, 0)
}

function broken(what: string): Violation {
  return new Violation('spending at a ceiling is notified, once', what)
}
