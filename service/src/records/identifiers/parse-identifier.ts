import type { Kind } from '@vitae/contract'
import { type Identifier, isOpaqueId, isDerivedCompanyId, type CompanyPage } from '../../foundation/identifier.ts'
import { Failure } from '../../foundation/failure.ts'
import type { Ref } from './find-ref.ts'

const platformHosts: readonly string[] = ['linkedin.com']

const urlAtMost = 2_000

// Fast path for the common case. It starts with a letter, so it is neither a number nor an opaque id, and it is no
// derived id.
const plainSlug = /^(?!vitae-[\da-f]{16}$)[a-z][a-z\d-]{0,299}$/
// Visible ASCII without the backslash: this covers most URLs and is much faster to test than Unicode classes.
const readableAscii = /^[!-[\]-~]+$/
const unreadable = /[\p{C}\p{Z}\s\\]/u
const invisibleButMeant = /[\u200C\u200D]/g

/**
 * Resolves a caller's text to an identifier, or fails with `invalid_request`. Parsing the resulting value again returns
 * the same identifier. `hosts` are the platform's host names in lower case; their sub-domains count too.
 */
export function parseIdentifier(kind: Kind, input: string, hosts = platformHosts): Identifier {
  if (plainSlug.test(input)) return { kind, type: 'slug', value: input }

  const text = trimSpaces(input)
  if (text === '') throw invalidIdentifier(kind, 'is empty')
  const isUrl = /[/:]/.test(text) && !/^urn:/i.test(text)
  // Only the slug of a URL counts, and the rest may be long, such as tracking parameters.
  const atMost = isUrl ? urlAtMost : identifierAtMost
  if (isTooLong(text, atMost)) throw tooLong(kind, atMost)
  if (!readableAscii.test(text) && unreadable.test(text.replace(invisibleButMeant, ''))) {
    throw invalidIdentifier(kind, 'has spaces, backslashes or characters that cannot be shown')
  }
  const urn = readUrn(kind, text)
  if (urn) return urn
  const encoded = isUrl ? slugInUrl(kind, text, hosts) : text
  return readSlug(kind, decodeOnce(kind, encoded))
}

/** Spaces often come along when copying from a document. Other white space is refused. */
function trimSpaces(text: string): string {
  return text.replace(/^ +/, '').replace(/(?<! ) +$/, '')
}

function isTooLong(text: string, atMost: number): boolean {
  return exceedsLimit(text, atMost) && exceedsLimit(decodeLeniently(text), atMost)
}

/** Only for counting: the ignored part of a URL may contain anything, even malformed escapes. */
function decodeLeniently(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString())
}

function decodeOnce(kind: Kind, encoded: string): string {
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw invalidIdentifier(kind, 'has percent-escapes that are not UTF-8')
  }
}

const member = /^urn:li:member:([1-9]\d{0,18})$/i
const derivedPerson = /^urn:vitae:(?:person|profile):([\da-f]{16})$/i
/** The derived `entity_urn` of a person whose member number is known. */
const derivedProfile = /^urn:vitae:profile:([1-9]\d{0,14})$/i
/** `urn:li:fsd_profile:ACoAA...`, or a sales lead: `urn:li:fs_salesProfile:(ACwAA...,NAME_SEARCH,x)`. */
const profile = /^urn:li:\w+:\(?([\w-]+)(?:,[^()]*\))?$/i
/** A `member_urn` of another namespace, for example from an operator's own directory. */
const foreign = /^urn:(?!li:|vitae:)[a-z\d][a-z\d-]{1,31}:[!-~]+$/i
const company = /^urn:li:(?:fsd?_)?(?:normalized_)?(?:company|organization):(\d+)$/i

/** Parses a URN as it appears in records: `member_urn`, `entity_urn` or a company URN. Null = not a URN. */
function readUrn(kind: Kind, text: string): Identifier | null {
  if (!/^urn:/i.test(text)) return null
  const identifier = kind === 'people' ? readPersonUrn(text) : readCompanyUrn(text)
  if (identifier) return identifier
  const expected = kind === 'people' ? 'a member_urn or entity_urn' : 'urn:li:company:{number}'
  throw invalidIdentifier(kind, `must be ${expected} if it is a URN`)
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

/** The slug of a company, school or showcase page in a record; null for a number or without a page. */
export function companySlug(url: string | null): string | null {
  if (url === null) return null
  try {
    const { type, value } = parseIdentifier('companies', url)
    return type === 'slug' ? value : null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

const identifierAtMost = 300

const emoji = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}'
// Joiners are part of emoji and of names in Indic and Persian scripts, but invisible elsewhere.
const joiner = `(?<=[\\p{L}\\p{M}${emoji}])[\\u200C\\u200D](?=[\\p{L}${emoji}])`
const slugOf = (punctuation: string) => new RegExp(`^(?:[\\p{L}\\p{M}\\p{N}${emoji}${punctuation}]|${joiner})+$`, 'u')

const alphabets: Record<Kind, RegExp> = {
  people: slugOf('\\-_.'),
  // Old company pages keep the punctuation of the company's name in their slug.
  companies: slugOf("\\-_.'’&!,+\\(\\)"),
}
const substance = new RegExp(`[\\p{L}\\p{N}${emoji}]`, 'u')

const digits = /^\d+$/

/** Whether a decoded text exceeds the limit, counted in code points. */
function exceedsLimit(text: string, atMost = identifierAtMost): boolean {
  return text.length > atMost && Array.from(text).length > atMost
}

/** Parses a decoded name: a slug, a company number or an opaque member id. */
function readSlug(kind: Kind, decoded: string): Identifier {
  if (kind === 'people' && isOpaqueId(decoded)) return { kind, type: 'opaque', value: decoded }
  const value = decoded.normalize('NFC').toLowerCase().normalize('NFC')
  // Normalising may lengthen a text, and an identifier that we return must be accepted again.
  if (exceedsLimit(value)) throw tooLong(kind)
  if (kind === 'companies' && digits.test(value)) return readCompanyNumber(value)
  if (kind === 'companies' && isDerivedCompanyId(value)) return { kind, type: 'id', value }
  if (!alphabets[kind].test(value) || !substance.test(value)) {
    throw invalidIdentifier(kind, 'has characters that no slug has')
  }
  return { kind, type: 'slug', value }
}

/** A number must have one spelling: guessing which company `007` means could bill for the wrong one. */
function readCompanyNumber(value: string): Identifier {
  if (value.startsWith('0')) throw invalidIdentifier('companies', 'is a company number that starts with 0')
  return { kind: 'companies', type: 'id', value }
}

/** The 400 for an identifier over the limit. */
function tooLong(kind: Kind, atMost = identifierAtMost) {
  return invalidIdentifier(kind, `is longer than ${atMost} characters`)
}

const keys: Record<Kind, RegExp> = { people: /^urn:/, companies: /^(urn:|vitae-[\da-f]{16}$)/ }

/** An id as operators write it: a full `member_urn` or `company_id`, or anything that callers may send. */
export function parseRef(kind: Kind, text: string, hosts: readonly string[]): Ref {
  return keys[kind].test(text) ? { key: text } : { identifier: parseIdentifier(kind, text, hosts) }
}

const parameters = { people: 'profile_id', companies: 'company_id' } as const satisfies Record<Kind, string>

/** The 400 for an unreadable identifier. It never repeats the caller's text, which may name a person. */
export function invalidIdentifier(kind: Kind, reason: string): Failure {
  const parameter = parameters[kind]
  const detail = `${parameter} ${reason}`
  return new Failure('invalid_request', {
    detail,
    errors: [{ parameter, detail: reason }],
    broken: [{ parameter, rule: reason }],
  })
}

const sections: Record<Kind, RegExp> = {
  people: /^\/(?:(?:mwlite|comm|m)\/)?in\/([^/]+)/i,
  companies: /^\/(?:(?:mwlite|comm|m|organization-guest)\/)?(?:company|school|showcase)\/([^/]+)/i,
}
/** Pages of the sales tool name people by an opaque id, followed by a comma and more, and companies by number. */
const salesSections: Record<Kind, RegExp> = {
  people: /^\/sales\/(?:lead|people)\/([\w-]+)(?=[/,]|%2c|$)/i,
  companies: /^\/sales\/company\/(\d+)(?=\/|$)/i,
}
/** A path without a host, as copied from a URL: `in/ada`, `company/acme/`. */
const pathAlone: Record<Kind, RegExp> = {
  people: /^\/?in\/+[^/]/i,
  companies: /^\/?(?:company|school|showcase)\/+[^/]/i,
}
const bareSlug = /^(?!(?:in|company|school|showcase)\/)([a-z\d-]+)\/+$/i
const examples: Record<Kind, string> = { people: '/in/{slug}', companies: '/company/{slug}' }

const authorityAndPath = /^(?:(?:[a-z][a-z\d+.-]*:)?\/\/)?([^/?#]*)([^?#]*)/i
// ASCII only, and tested before lower-casing: some foreign letters have an ASCII lower case.
const hostName = /^([a-z\d-]+(?:\.[a-z\d-]+)*)(?::443)?$/i
const dotSegment = /^(?:\.|%2e){1,2}$/i

/**
 * Extracts the encoded slug from a URL of the platform, or from its path alone. It does not use `URL`, which repairs
 * what must be refused here: backslashes, line breaks, `..` and foreign letters in the host.
 */
function slugInUrl(kind: Kind, url: string, hosts: readonly string[]): string {
  const bare = bareSlug.exec(url)?.[1]
  if (bare !== undefined) return bare
  const path = pathOf(kind, url, hosts).replace(/\/{2,}/g, '/')
  if (path.split('/').some((segment) => dotSegment.test(segment))) {
    throw invalidIdentifier(kind, 'must be a URL without . and .. in its path')
  }
  const slug = sections[kind].exec(path)?.[1] ?? salesId(kind, path)
  if (slug !== undefined) return slug
  if (kind === 'people' && /^\/pub\//i.test(path)) {
    const reason =
      'is an old /pub/ address, which does not identify a profile: open it and send the /in/ address that it redirects to'
    throw invalidIdentifier(kind, reason)
  }
  throw invalidIdentifier(kind, `must be a URL with a path like ${examples[kind]}`)
}

function pathOf(kind: Kind, url: string, hosts: readonly string[]): string {
  if (pathAlone[kind].test(url)) return `/${url.replace(/^\//, '').replace(/[?#].*/s, '')}`
  const [, authority = '', path = ''] = authorityAndPath.exec(url) ?? []
  if (isPlatformHost(authority, hosts)) return path
  throw invalidIdentifier(kind, `must be a slug or a URL of ${hosts.join(' or ')}, without user name and port`)
}

function isPlatformHost(authority: string, hosts: readonly string[]): boolean {
  const name = hostName.exec(authority)?.[1]?.toLowerCase()
  return name !== undefined && hosts.some((host) => name === host || name.endsWith(`.${host}`))
}

/** A slug in place of an opaque id would be somebody else's name. */
function salesId(kind: Kind, path: string): string | undefined {
  const id = salesSections[kind].exec(path)?.[1]
  if (id === undefined || kind === 'companies') return id
  return isOpaqueId(id) ? id : undefined
}

const otherPage = /^(?:[^?#]*\/)?(school|showcase)\//i

/** The kind of page that a caller's text points to; everything but a school or showcase address is a company. */
export function companyPageOf(text: string): CompanyPage {
  const named = otherPage.exec(text)?.[1]?.toLowerCase()
  return named === 'school' || named === 'showcase' ? named : 'company'
}
