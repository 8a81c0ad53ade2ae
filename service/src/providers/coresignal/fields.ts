import { imageUrl, integer, rows } from '@vitae/provider'

/**
 * The first of several keys that has a value: the vendor renamed its `linkedin_*` keys, and accounts get either name.
 */
export function either(raw: Record<string, unknown>, ...keys: string[]): unknown {
  return keys.map((key) => raw[key]).find((value) => value !== undefined && value !== null && value !== '')
}

/** The rows of a list in profile order; rows without a number keep their order and come last. */
export function inProfileOrder(value: unknown): Record<string, unknown>[] {
  const place = (row: Record<string, unknown>) => integer(row.order_in_profile) ?? Number.MAX_SAFE_INTEGER
  return rows(value).toSorted((a, b) => place(a) - place(b))
}

/** The URL of an image; one of the data sets has the image itself there, as base64. */
export function pictureUrl(value: unknown): string | null {
  const url = imageUrl(value)
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}
