/** SQLite's codes for a file that cannot be written or read now: read-only, an error of the disk, full, not to be opened. */
const codes = new Set([8, 10, 13, 14])

/**
 * Whether the disk keeps the embedded engine from doing what it was told. Nothing was done then, and once the operator has
 * repaired it the same request succeeds.
 */
export function isDiskError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  // The lower byte is the kind; what is above it says more exactly what was being done.
  return codes.has(Number(error.errcode) & 0xff)
}
