import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'

/**
 * The identifier that a caller's text resolves to. `slug` is lower-cased NFC. `id` is a company number or a derived
 * `company_id`. `opaque` is a case-sensitive member id (`ACoAA...`). `urn` is a `member_urn`. `domain` is that of a
 * company's site: providers accept it, but the store does not identify a company by it. `match`, `email` and `phone`
 * are keyed hashes of the facts that a caller has about someone.
 */
export interface Identifier {
  kind: Kind
  type: 'slug' | 'id' | 'opaque' | 'urn' | 'domain' | 'match' | 'email' | 'phone'
  value: string
  /** The facts behind the hash, for the providers. Never stored and never logged. */
  match?: MatchInput
}

/** Normalised facts about a person or company. Never stored and never logged: the service keeps only keyed hashes. */
export interface MatchInput {
  /** In lower case. */
  email?: string
  /** E.164. */
  phone?: string
  /** The full name of the person, or the name of the requested company. */
  name?: string
  first_name?: string
  last_name?: string
  /** The employer's name. */
  company?: string
  company_domain?: string
  company_id?: string
  location?: string
  /** The domain of the requested company. */
  domain?: string
  country?: string
  /** 0 to 1. */
  minLikelihood: number
}

export type MatchSignal = Exclude<keyof MatchInput, 'minLikelihood'>

/**
 * Member ids of the platform are base64url with a typed prefix: `ACoAA` (profile), `ACwAA` (lead), `AEMAA` (recruiter)
 * and so on. An all-capitals prefix requires a full-length id, or a slug typed in capitals would match.
 */
const opaqueId = /^A[A-Z](?:[a-z]AA[\w-]+|[A-Z]AA[\w-]{30,})$/

/** Whether a text is an opaque member id. Identifiers, payloads, suppression and restored backups all use this rule. */
export function isOpaqueId(text: string): boolean {
  return opaqueId.test(text)
}

/**
 * Another name of an entity. Public types are those of `Identifier`, and `urn` is a full durable key. All other types
 * are internal: `member` is the platform's member number; `coresignal`, `peopledatalabs` and others are vendor ids.
 */
export interface Alias {
  type: string
  value: string
}

/** The derived `company_id` of a page whose company number is unknown. */
export function derivedCompanyId(slug: string): string {
  return `vitae-${hash('sha256', `slug:${slug}`).slice(0, 16)}`
}

/** Whether a `company_id` is derived from a page instead of being the platform's number. */
export function isDerivedCompanyId(id: string): boolean {
  return /^vitae-[\da-f]{16}$/.test(id)
}
