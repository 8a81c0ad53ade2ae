import type { Networks } from '../foundation/networks.ts'

/** Where a request came from, as its connection and its headers say it. */
export interface Origin {
  /** The other end of the connection: the caller itself, or a proxy. */
  peer: string
  /** The value of `X-Forwarded-For`. */
  forwardedFor: string | undefined
}

/**
 * The address that counts: the nearest one that is not a trusted proxy. Each proxy adds the address that it saw at the end, so
 * only what stands behind a trusted one is believed. Computed where it is asked for, because few calls do.
 */
export function clientAddress({ peer, forwardedFor }: Origin, trusted: Networks | null): string {
  if (trusted === null || forwardedFor === undefined) return peer
  let address = peer
  for (const claimed of forwardedFor.split(',').reverse()) {
    if (!trusted.includes(address)) return address
    address = claimed.trim() || address
  }
  return address
}
