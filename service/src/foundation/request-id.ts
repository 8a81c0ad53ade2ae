import { randomUUIDv7 } from 'node:crypto'

declare module 'node:crypto' {
  /** In Node since 24.15; the type package does not know it yet. */
  function randomUUIDv7(): string
}

/** A new id of a call. It begins with its time, so that receipts can be found by month without an index over all of them. */
export function newRequestId(): string {
  return randomUUIDv7()
}
