import { urnOf, type Said } from '../world/simulated-provider.ts'
import { chargedOf, type Call } from './call.ts'
import { exercise } from './exercises.ts'
import { leads } from './heard-names.ts'
import type { Honesty } from './honesty.ts'
import { Violation } from './law.ts'
import { partsPriceOf } from './prices-of.ts'
import type { Ledger } from './read-ledger.ts'

/**
 * Every stored version of a person is a provider's statement about them, and every stored name is one that returned
 * them.
 */
export function checkHistories({ versions, names }: Pick<Ledger, 'versions' | 'names'>, said: Said): void {
  const people = new Map(said.told.map(({ slug, text }) => [text, slug]))
  const urns = new Map([...new Set(people.values())].map((person) => [urnOf(person), person]))
  const seen = new Set<string>()
  for (const { key, text } of versions) {
    exercise('a history covers one person', seen.has(key))
    seen.add(key)
    const person = people.get(text ?? '')
    if (person === undefined || urnOf(person) !== key)
      throw new Violation('a history covers one person', `${key} has a version of ${person}`)
  }
  for (const { value, key } of names) {
    const person = urns.get(key ?? '')
    if (key !== null && (person === undefined || !leads(said, value, person)))
      throw new Violation('a name returns its current holder', `${value} leads to ${person ?? key}`)
  }
}

/** An environment pays once per person in the window, whatever names it uses. */
export function checkPeoplePaidOnce(
  { receipts }: Pick<Ledger, 'receipts'>,
  calls: readonly Call[],
  honesty: Pick<Honesty, 'toldOf'>,
  windowMs: number,
): void {
  const paidAt = new Map(receipts.filter((one) => one.entity_id !== null).map((one) => [one.request_id, one.at]))
  const paid = new Map<string, number[]>()
  for (const call of calls) {
    const { answer, environment } = call
    const at = paidAt.get(answer?.headers.get('x-request-id') ?? '')
    if (!answer || at === undefined || [0, partsPriceOf(call, answer)].includes(chargedOf(answer))) continue
    const record = `${environment}: ${honesty.toldOf(call, answer)?.slug}`
    const before = paid.get(record) ?? []
    if (before.some((other) => Math.abs(other - at) <= windowMs))
      throw new Violation('while repeats are free a record is paid for once', `${record}, under two names`)
    paid.set(record, [...before, at])
  }
}
