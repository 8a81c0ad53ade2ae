import type { ContactInfo, NetworkInfo } from '@vitae/contract'
import { contactInfo } from '../mapping/empty-records.ts'
import { integer } from '../mapping/text.ts'

/** The counts of a person's network, or null when neither is known. */
export function networkInfo(followers: unknown, connections: unknown): NetworkInfo | null {
  const counts = { followers_count: integer(followers), connections_count: integer(connections) }
  return counts.followers_count === null && counts.connections_count === null
    ? null
    : { ...counts, custom_action: null }
}

/** Contact details, or null when none is known. */
export function knownContact(fields: Partial<ContactInfo>): ContactInfo | null {
  const isKnown = Object.values(fields).some((value) => (Array.isArray(value) ? value.length > 0 : value !== null))
  return isKnown ? contactInfo(fields) : null
}
