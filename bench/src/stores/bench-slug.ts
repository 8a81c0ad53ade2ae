export const slugDigits = 7

/** The slug of the n-th record; all of one length, so that every answer has the same number of bytes. */
export function benchSlug(index: number): string {
  return `p${String(index).padStart(slugDigits, '0')}`
}
