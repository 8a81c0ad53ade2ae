import type { PartialDate } from '@vitae/contract'
import { compareDates } from '../mapping/partial-date.ts'

/** The item with the latest date; one without a date only when none has one. Of equals the first stays. */
export function latest<Item>(items: readonly Item[], dateOf: (item: Item) => PartialDate | null): Item | null {
  return items.reduce<Item | null>((best, item) => {
    if (best === null) return item
    const [known, date] = [dateOf(best), dateOf(item)]
    if (date === null) return best
    return known === null || compareDates(date, known) > 0 ? item : best
  }, null)
}
