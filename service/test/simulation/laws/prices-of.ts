import { contactPrice, type Terms } from '../world/terms.ts'
import { isThin, type Answer, type Call } from './call.ts'

interface Tariff {
  variables: Terms['prices']
  /** The prices of all books that may have been set. */
  books: ReadonlySet<number>
  areRepeatsFree: boolean
}

/**
 * The possible prices of an answer: by the variables, or by one of the books, which add a price for returned contact
 * details.
 */
export function pricesOf({ bypass, contact }: Call, answer: Answer, tariff: Tariff): Set<number> {
  const { variables: prices, books, areRepeatsFree } = tariff
  const isStale = answer.headers.get('x-data-source') === 'stale_fallback'
  const special = [...(isStale ? [prices.stale] : []), ...(isThin(answer) ? [prices.thin] : [])]
  const plain = special.length > 0 ? Math.min(...special) : bypass ? prices.bypass : prices.people
  const extra = partsPriceOf({ contact }, answer)
  // If repeats are free, only the price of the parts may remain.
  const free = areRepeatsFree ? [0, extra] : []
  return new Set([plain, ...free, ...[...books].map((price) => price + extra)])
}

/** The price that a book adds for requested parts that the answer contains. */
export function partsPriceOf({ contact }: Pick<Call, 'contact'>, { body }: Answer): number {
  const { contact_info: details } = JSON.parse(body) as { contact_info: { email_address: string | null } | null }
  return contact && details?.email_address ? contactPrice : 0
}
