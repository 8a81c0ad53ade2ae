import { contactPrice, type Terms } from '../world/terms.ts'
import { isThin, type Answer, type Call } from './call.ts'

interface Tariff {
  variables: Terms['prices']
  /** What calls cost by the books that may have been set. */
  books: ReadonlySet<number>
  areRepeatsFree: boolean
}

/** What an answer may cost: by the variables, or by one of the books, which add a price for contact details that are there. */
export function pricesOf({ bypass, contact }: Call, answer: Answer, tariff: Tariff): Set<number> {
  const { variables: prices, books, areRepeatsFree } = tariff
  const isStale = answer.headers.get('x-data-source') === 'stale_fallback'
  const special = [...(isStale ? [prices.stale] : []), ...(isThin(answer) ? [prices.thin] : [])]
  const plain = special.length > 0 ? Math.min(...special) : bypass ? prices.bypass : prices.people
  const extra = partsPriceOf({ contact }, answer)
  // Where repeats are free only what is added may be left.
  const free = areRepeatsFree ? [0, extra] : []
  return new Set([plain, ...free, ...[...books].map((price) => price + extra)])
}

/** What the parts that a call asked for, and that are there, add where a book is used. */
export function partsPriceOf({ contact }: Pick<Call, 'contact'>, { body }: Answer): number {
  const { contact_info: details } = JSON.parse(body) as { contact_info: { email_address: string | null } | null }
  return contact && details?.email_address ? contactPrice : 0
}
