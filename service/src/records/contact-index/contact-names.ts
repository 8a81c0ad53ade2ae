import type { MatchInput } from '../../foundation/identifier.ts'
import type { Company, Kind, Person } from '@vitae/contract'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { suppressionHash } from '../suppression/suppression-hash.ts'

/** A keyed hash that leads to an entity. */
export interface ContactName {
  type: 'email' | 'phone' | 'match'
  value: string
}

/** Addresses longer than this exist nowhere (RFC 5321). */
const emailAtMost = 254
const emailForm = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+\.[^\s@<>()[\]\\,;:".]{2,}$/

/** An address as it is compared: without case. What stands behind a plus stays: it may be another mailbox. Null = no address. */
export function normaliseEmail(text: string): string | null {
  const address = text.normalize('NFC').trim().toLowerCase()
  return address.length <= emailAtMost && emailForm.test(address) ? address : null
}

/** A number in E.164; null where it is none, or its country is not known. */
export function normalisePhone(text: string): string | null {
  if (text.length > 40) return null
  const number = parsePhoneNumberFromString(text)
  return number?.isPossible() ? number.number : null
}

/** The keyed hash of an address, of a number, or of a whole question. */
export function contactName(secret: string, kind: Kind, type: ContactName['type'], text: string): ContactName {
  return { type, value: suppressionHash(secret, kind, { type: `contact ${type}`, value: text }) }
}

/** The names of a record's own contact details. */
export function contactNamesIn(secret: string, record: Person | Company): ContactName[] {
  if (!('contact_info' in record) || !record.contact_info) return []
  const { email_address: address, phone_numbers: numbers } = record.contact_info
  const email = address ? normaliseEmail(address) : null
  const phones = numbers.flatMap((number) => normalisePhone(number) ?? [])
  return [
    ...(email ? [contactName(secret, 'people', 'email', email)] : []),
    ...[...new Set(phones)].slice(0, 20).map((phone) => contactName(secret, 'people', 'phone', phone)),
  ]
}

/** The names of a question: its address, its number, and all of it. How sure an answer must be is no part of it. */
export function contactNamesOf(
  secret: string,
  kind: Kind,
  input: MatchInput,
): { email: ContactName | null; phone: ContactName | null; match: ContactName } {
  const { email, phone, minLikelihood: _threshold, ...others } = input
  const asked = Object.entries({ email, phone, ...others }).filter(([, value]) => value !== undefined)
  const whole = JSON.stringify(asked.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return {
    email: email === undefined ? null : contactName(secret, kind, 'email', email),
    phone: phone === undefined ? null : contactName(secret, kind, 'phone', phone),
    match: contactName(secret, kind, 'match', whole),
  }
}

/** Some names as one text. */
export function writeNames(names: readonly ContactName[]): string {
  return names.map(({ type, value }) => `${type} ${value}`).join(',')
}

/** The names in such a text. */
export function readNames(text: string | null): ContactName[] {
  return (text ?? '').split(',').flatMap((name) => {
    const [type, value] = name.split(' ')
    return value ? [{ type: type as ContactName['type'], value }] : []
  })
}
