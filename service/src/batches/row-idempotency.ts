import { idempotencyHash } from '../credits/idempotency-key.ts'

/** The parts of a row that determine its idempotency key. */
export interface KeyedRow {
  number: number
  subject: string | null
}

/**
 * The idempotency key of a row. It contains spaces, so no caller can send it. Rows with the same question share one
 * key, so that one of them pays and all are answered, on any node and after any crash. Batches of earlier versions have
 * no subjects and one key per row.
 */
export function rowIdempotencyKey(publicId: string, { number, subject }: KeyedRow): string {
  return subject === null ? `batch ${publicId} row ${number}` : `batch ${publicId} of ${subject}`
}

/** The idempotency keys of some rows, in stored form. */
export function rowIdempotencyHashes(
  secret: string,
  { environmentId, publicId }: { environmentId: number; publicId: string },
  rows: readonly KeyedRow[],
): string[] {
  return rows.map((row) => idempotencyHash(secret, environmentId, rowIdempotencyKey(publicId, row)))
}
