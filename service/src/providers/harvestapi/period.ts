import type { DateRange } from '@vitae/contract'
import { dateRange, object, singleDate, text } from '@vitae/provider'

/**
 * The period of an item. A period of one month has no start and an end such as `Mar 2019 · 1 mo`: both are that month.
 */
export function period({ startDate, endDate }: Record<string, unknown>): DateRange | null {
  const isOneMonth = !startDate && (text(object(endDate).text) ?? '').includes('·')
  return (isOneMonth ? singleDate(endDate) : null) ?? dateRange(startDate, endDate)
}
