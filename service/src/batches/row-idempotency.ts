import { idempotencyHash } from '../credits/idempotency-key.ts'

/** A row, by what it is known to be paid for. */
export interface KeyedRow {
  number: number
  subject: string | null
}

/**
 * The idempotency key of a row: no caller can send it, because it has spaces. Rows that ask for the same have the same one, so
 * that one of them pays and all are answered, on whatever node and after whatever crash. Batches of versions before that have no
 * subjects, and a key for each row.
 */
export function rowIdempotencyKey(publicId: string, { number, subject }: KeyedRow): string {
  return subject === null ? `batch ${publicId} row ${number}` : `batch ${publicId} of ${subject}`
}

/** The idempotency keys of some rows, as the store keeps them. */
export function rowIdempotencyHashes(
  secret: string,
  { environmentId, publicId }: { environmentId: number; publicId: string },
  rows: readonly KeyedRow[],
): string[] {
  return rows.map((row) => idempotencyHash(secret, environmentId, rowIdempotencyKey(publicId, row)))
}
