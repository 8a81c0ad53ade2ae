import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'

/**
 * What a caller's text was resolved to.
 * `slug` is lower-cased NFC; `id` is a company number, or a derived `company_id`; `opaque` is a case-sensitive member id
 * (`ACoAA...`); `urn` is a `member_urn`; `domain` is that of a company's site, which providers are asked by and which names
 * nobody in the store; `match`, `email` and `phone` are keyed hashes of what a caller holds of someone.
 */
export interface Identifier {
  kind: Kind
  type: 'slug' | 'id' | 'opaque' | 'urn' | 'domain' | 'match' | 'email' | 'phone'
  value: string
  /** What the hash stands for, for the providers. It is never stored and never logged. */
  match?: MatchInput
}

/** What may be known of a person or company, normalised. Never stored and never logged: only keyed hashes of it are. */
export interface MatchInput {
  /** In lower case. */
  email?: string
  /** E.164. */
  phone?: string
  /** The whole name of the person, or of the company that is asked for. */
  name?: string
  first_name?: string
  last_name?: string
  /** Of an employer. */
  company?: string
  company_domain?: string
  company_id?: string
  location?: string
  /** Of a company. */
  domain?: string
  country?: string
  /** 0 to 1. */
  minLikelihood: number
}

export type MatchSignal = Exclude<keyof MatchInput, 'minLikelihood'>

/**
 * Member ids of the platform are base64url behind a typed prefix: `ACoAA` (profile), `ACwAA` (lead), `AEMAA` (recruiter)
 * and so on. A prefix in capitals only must be followed by a whole id, or a slug typed in capitals would be taken for one.
 */
const opaqueId = /^A[A-Z](?:[a-z]AA[\w-]+|[A-Z]AA[\w-]{30,})$/

/** Whether a text is an opaque member id. The one rule for identifiers, payloads, suppression and restored backups. */
export function isOpaqueId(text: string): boolean {
  return opaqueId.test(text)
}

/**
 * Another name of an entity. Public types are those of `Identifier`; `urn` is a durable key in full;
 * every other type is private to Vitae (`member` is the platform's member number, `coresignal`, `peopledatalabs`, ... are ids of a vendor).
 */
export interface Alias {
  type: string
  value: string
}

/** The `company_id` of a page whose number is not known. */
export function derivedCompanyId(slug: string): string {
  return `vitae-${hash('sha256', `slug:${slug}`).slice(0, 16)}`
}

/** Whether a `company_id` is derived from a page, and not the platform's number. */
export function isDerivedCompanyId(id: string): boolean {
  return /^vitae-[\da-f]{16}$/.test(id)
}
