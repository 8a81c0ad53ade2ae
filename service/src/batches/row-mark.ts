import { idempotencyHash } from '../credits/idempotency-key.ts'

/** The mark of a row: no caller can send it as an Idempotency-Key, because it has spaces. */
export function rowMark(publicId: string, number: number): string {
  return `batch ${publicId} row ${number}`
}

/** The marks of some rows, as the store keeps them. */
export function rowMarkHashes(
  secret: string,
  { accountId, publicId }: { accountId: number; publicId: string },
  numbers: readonly number[],
): string[] {
  return numbers.map((number) => idempotencyHash(secret, accountId, rowMark(publicId, number)))
}
