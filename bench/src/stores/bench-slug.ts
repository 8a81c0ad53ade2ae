export const slugDigits = 7

/** The slug of the n-th record. All have the same length, so that every response has the same number of bytes. */
export function benchSlug(index: number): string {
  return `p${String(index).padStart(slugDigits, '0')}`
}
