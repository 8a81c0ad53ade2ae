import { idempotencyHash } from '../credits/idempotency-key.ts'

/** The idempotency key of a row: no caller can send it, because it has spaces. */
export function rowIdempotencyKey(publicId: string, number: number): string {
  return `batch ${publicId} row ${number}`
}

/** The idempotency keys of some rows, as the store keeps them. */
export function rowIdempotencyHashes(
  secret: string,
  { accountId, publicId }: { accountId: number; publicId: string },
  numbers: readonly number[],
): string[] {
  return numbers.map((number) => idempotencyHash(secret, accountId, rowIdempotencyKey(publicId, number)))
}
