import { Violation } from './law.ts'
import type { SimulatedKey } from './oracle.ts'
import { spentByPeriod, type Books } from './read-books.ts'

interface Alert {
  key: string
  period: string
  ceiling: number
  watches_paused?: number
}

/** Spending that has come to a ceiling, which rotated keys share, is told of, and no event is there twice. */
export function checkAlerts(books: Books, keys: readonly SimulatedKey[]): void {
  const told = new Set<string>()
  for (const { type, data } of books.alerts) {
    const { key, period, ceiling, watches_paused } = JSON.parse(data) as Alert
    // That watches pause is told besides.
    if (watches_paused !== undefined) continue
    const event = `${type} ${books.chains.get(key)} ${period} ${ceiling}`
    if (told.has(event)) throw broken(`${event} was told twice`)
    told.add(event)
  }
  for (const { chain, ceiling, dailyCeiling } of keys) {
    const own = books.payments.filter(({ key_id: id }) => books.chains.get(id) === chain)
    for (const [period, spent] of spentByPeriod(own)) {
      const limit = period.length === 7 ? ceiling : dailyCeiling
      const event = `ceiling.reached ${chain} ${period} ${limit}`
      if (limit !== null && spent >= limit && !told.has(event)) throw broken(`${event} was not told`)
    }
  }
}

function broken(what: string): Violation {
  return new Violation('spending at a ceiling is told, once', what)
}
