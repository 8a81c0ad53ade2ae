import { emptyContact, type ContactInfo, type NetworkInfo } from '@vitae/contract'
import { integer, text } from '../mapping/text.ts'

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
  return isKnown ? { ...emptyContact(), ...fields } : null
}

/** Splits a full name: the first word, and the rest. */
export function splitName(value: unknown): { first: string | null; last: string | null } {
  const [first = null, ...others] = text(value)?.split(/\s+/u) ?? []
  return { first, last: others.join(' ') || null }
}

/** First and last name. Splits the full name only if the provider sends neither. */
export function givenOrFullName(first: unknown, last: unknown, full: unknown): ReturnType<typeof splitName> {
  const given = { first: text(first), last: text(last) }
  return given.first === null && given.last === null ? splitName(full) : given
}
