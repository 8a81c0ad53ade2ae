import type { Kind } from '@vitae/contract'
import { isOpaqueId, type Identifier } from '../../foundation/identifier.ts'
import { invalidIdentifier } from './invalid-identifier.ts'
import { readSlug } from './slug.ts'

const member = /^urn:li:member:([1-9]\d{0,18})$/i
const derivedPerson = /^urn:vitae:(?:person|profile):([\da-f]{16})$/i
/** The derived `entity_urn` of a person whose member number is known. */
const derivedProfile = /^urn:vitae:profile:([1-9]\d{0,14})$/i
/** `urn:li:fsd_profile:ACoAA...`, or a sales lead: `urn:li:fs_salesProfile:(ACwAA...,NAME_SEARCH,x)`. */
const profile = /^urn:li:\w+:\(?([\w-]+)(?:,[^()]*\))?$/i
/** A `member_urn` of another namespace, as a directory of one's own may have it. */
const foreign = /^urn:(?!li:|vitae:)[a-z\d][a-z\d-]{1,31}:[!-~]+$/i
const company = /^urn:li:(?:fsd?_)?(?:normalized_)?(?:company|organization):(\d+)$/i

/** Reads a URN as records carry it: `member_urn`, `entity_urn`, or the URN of a company. Null = the text is no URN. */
export function readUrn(kind: Kind, text: string): Identifier | null {
  if (!/^urn:/i.test(text)) return null
  const identifier = kind === 'people' ? readPersonUrn(text) : readCompanyUrn(text)
  if (identifier) return identifier
  const expected = kind === 'people' ? 'a member_urn or entity_urn' : 'urn:li:company:{number}'
  throw invalidIdentifier(kind, `must be ${expected} where it is a URN`)
}

function readPersonUrn(text: string): Identifier | null {
  if (foreign.test(text)) return { kind: 'people', type: 'urn', value: text }
  const number = (member.exec(text) ?? derivedProfile.exec(text))?.[1]
  if (number !== undefined) return { kind: 'people', type: 'urn', value: `urn:li:member:${number}` }
  const derived = derivedPerson.exec(text)?.[1]
  if (derived !== undefined) return { kind: 'people', type: 'urn', value: `urn:vitae:person:${derived.toLowerCase()}` }
  const id = profile.exec(text)?.[1]
  return id !== undefined && isOpaqueId(id) ? { kind: 'people', type: 'opaque', value: id } : null
}

function readCompanyUrn(text: string): Identifier | null {
  const number = company.exec(text)?.[1]
  return number === undefined ? null : readSlug('companies', number)
}
