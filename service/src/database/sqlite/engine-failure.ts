import { Failure } from '../../foundation/failure.ts'

/** SQLite's codes for a file that cannot be written or read now: read-only, an error of the disk, full, not to be opened. */
const diskCodes = new Set([8, 10, 13, 14])
/** Another program has the lock that a write needs, and kept it for longer than we wait. */
const lockCodes = new Set([5, 6])

/**
 * What a caller is told when the embedded engine could not do what it was asked; null where the error is none of these.
 * Nothing was done then, and once the disk is repaired or the lock is free the same request succeeds.
 */
export function engineFailure(error: unknown): Failure | null {
  if (error instanceof Failure) return error.code === 'store_unavailable' ? error : null
  if (!(error instanceof Error) || !('errcode' in error)) return null
  // The lower byte is the kind; what is above it says more exactly what was being done.
  const kind = Number(error.errcode) & 0xff
  if (diskCodes.has(kind)) return new Failure('store_unavailable', { retryAfterSeconds: 5, cause: error })
  return lockCodes.has(kind) ? new Failure('store_unavailable', { retryAfterSeconds: 1, cause: error }) : null
}
