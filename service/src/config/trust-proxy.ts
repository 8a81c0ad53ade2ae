import { parseNetwork } from '../foundation/networks.ts'

/** Whose `X-Forwarded-For` is believed: listed addresses and networks only, never everyone. */
export function parseTrustProxy(text: string): string[] | null {
  const networks = text.split(',').map((part) => part.trim())
  return networks.every((network) => parseNetwork(network) !== null) ? networks : null
}
