import { rows } from '../shared/envelope.ts'
import { integer } from '../mapping/text.ts'

/** The rows of a list as they stand in the profile; rows that do not say keep their place behind those that do. */
export function inProfileOrder(value: unknown): Record<string, unknown>[] {
  const place = (row: Record<string, unknown>) => integer(row.order_in_profile) ?? Number.MAX_SAFE_INTEGER
  return rows(value).toSorted((a, b) => place(a) - place(b))
}
