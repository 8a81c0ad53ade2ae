import { Failure } from '../../foundation/failure.ts'

/** SQLite's codes for a file that cannot be read or written now: read-only, disk error, full, cannot be opened. */
const diskCodes = new Set([8, 10, 13, 14])
/** Another program held a lock that a write needs for longer than we wait. */
const lockCodes = new Set([5, 6])

/**
 * The failure for a caller if the embedded engine could not do the work; null for other errors. Nothing was done, and
 * the same request succeeds once the disk is repaired or the lock is free.
 */
export function engineFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error.code === 'store_unavailable' ? error : null
  if (!(error instanceof Error) || !('errcode' in error)) return null
  // The lower byte is the kind; the upper bytes are details.
  const kind = Number(error.errcode) & 0xff
  if (diskCodes.has(kind)) return new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
  return lockCodes.has(kind) ? new Failure('store_unavailable', { retryAfterSeconds: 1, cause: error }) : null
}
