import { lookupOperations, type Kind, type PersonPart } from '@vitae/contract'
import { Complaints, Failure } from '../../foundation/failure.ts'
import { identifierKey, type CompanyPage } from '../../foundation/identifier.ts'
import { parseFields, parseRequire, partsLeft, type Lookup, newLookup } from '../../lookup/asked/lookup.ts'
import { type Expected, meansExpectation, parseExpected, unknownExpectation } from '../../lookup/asked/expectations.ts'
import { parseIdentifier, companyPageOf } from '../../records/identifiers/parse-identifier.ts'
import type { IsGone, LookupRequest, Progress } from './lookup-request.ts'

/** A parsed query whose identifier is still text; absent parameters have their defaults. */
interface Query {
  id: string
  include: Lookup['include']
  maxAgeDays: number | null
  bypassCache: boolean
  fields: readonly string[] | null
  require: readonly string[] | null
  expect: Expected | null
}

/** A parsed query with its identifier: everything about a lookup that can be shared between calls. */
type ParsedQuery = Omit<Query, 'id'> &
  Pick<Lookup, 'identifier' | 'name'> & { page: CompanyPage; ignored: string | null }

const partFlags: Record<PersonPart, string> = {
  network: 'include_network_info',
  contact: 'include_contact_info',
  verifications: 'get_verification_details',
}
const { getPersonProfile, getCompanyDetails } = lookupOperations
const parameters: Record<Kind, { id: string; known: ReadonlySet<string> }> = {
  people: { id: 'profile_id', known: new Set(Object.keys(getPersonProfile.query.properties)) },
  companies: { id: 'company_id', known: new Set(Object.keys(getCompanyDetails.query.properties)) },
}
/** Case-insensitive, because slugs are lower-cased. */
const apiKey = /^vt_(?:test|live)_[0-9a-z]{38}$/i
const flagValues = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])
const spendTagForm = /^[A-Za-z0-9._-]{1,64}$/
/** Accepts small numbers as JavaScript prints them: `1e-7`. */
const decimal = /^\d+(\.\d+)?(e-\d{1,3})?$/
const ignoredAtMost = 10
const ignoredLength = 40
const keptAtMost = 4_000
const keptLength = 200

/** Parses lookups. Callers repeat queries, so valid ones are cached. */
export class LookupParser {
  readonly hosts: readonly string[]
  readonly #kept: Record<Kind, Map<string, ParsedQuery>> = { people: new Map(), companies: new Map() }

  constructor(platformHosts: readonly string[]) {
    this.hosts = platformHosts
  }

  parse({ kind, search, headers }: LookupRequest, progress: Progress, isGone?: IsGone): Lookup {
    const { requestId, startedAt } = progress
    const parsed = this.#kept[kind].get(search) ?? this.#parseNew(kind, search, progress)
    const { identifier, name, page, include, maxAgeDays, bypassCache, fields, require, expect } = parsed
    progress.ignoredParameters = parsed.ignored
    const { onlyStored, refuseStale } = parseCacheControl(headers.cacheControl)
    const spendTag = parseSpendTag(headers.spendTag)
    progress.spendTag = spendTag
    return newLookup({
      requestId,
      startedAt,
      identifier,
      name,
      page,
      include,
      freshness: { maxAgeDays, bypassCache, onlyStored, refuseStale },
      fields,
      require,
      expect,
      idempotencyKey: parseIdempotencyKey(headers.idempotencyKey),
      spendTag,
      isGone,
    })
  }

  #parseNew(kind: Kind, given: string, progress: Progress): ParsedQuery {
    // A slice keeps its whole source string in memory, including headers and key, so the cache stores a copy.
    const search = Buffer.from(given).toString()
    const { id, ...query } = parseQuery(kind, search, progress)
    const identifier = parseIdentifier(kind, id, this.hosts)
    const parsed: ParsedQuery = {
      ...query,
      identifier,
      name: identifierKey(identifier),
      page: companyPageOf(id),
      ignored: progress.ignoredParameters,
    }
    const kept = this.#kept[kind]
    if (kept.size >= keptAtMost) kept.clear()
    if (search.length <= keptLength) kept.set(search, parsed)
    return parsed
  }
}

/** Whether a query asks for the part, in any spelling that `parseQuery` accepts. */
export function asksForPart(search: string, part: PersonPart): boolean {
  return new URLSearchParams(search).getAll(partFlags[part]).some((value) => flagValues.get(value.toLowerCase()))
}

/**
 * Parses a query. Unknown parameters are named in the response, even in a 400; all faults of known parameters are
 * reported together.
 */
function parseQuery(kind: Kind, search: string, progress: Progress): Query {
  const { id: idName, known } = parameters[kind]
  const values = new Map<string, string>()
  const ignored: string[] = []
  const complaints = new Complaints()
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.has(name)) {
      // Expectations guard against the wrong person, so a misspelt one is refused.
      if (meansExpectation(name)) complaints.add(nameIgnored([name]) ?? 'expect', unknownExpectation(kind))
      else ignored.push(name)
      continue
    }
    if (values.has(name)) complaints.add(name, 'is given more than once')
    values.set(name, value)
  }
  progress.ignoredParameters = nameIgnored(ignored)
  const flag = (name: string) => parseFlag(name, values.get(name), complaints)
  const include = {
    network: flag(partFlags.network),
    contact: flag(partFlags.contact),
    verifications: flag(partFlags.verifications),
  }
  const complain = (parameter: string) => (detail: string, rule?: string) => complaints.add(parameter, detail, rule)
  const fields = parseFields(kind, values.get('fields'), complain('fields'))
  const query: Query = {
    id: parseId(idName, values.get(idName), complaints),
    include: partsLeft(include, fields),
    maxAgeDays: parseMaxAge(values.get('max_age_days'), complaints),
    bypassCache: flag('bypass_cache'),
    fields,
    require: parseRequire(kind, values.get('require'), include, complain('require')),
    expect: parseExpected(kind, (name) => values.get(`expect.${name}`), complain),
  }
  complaints.throwAny()
  return query
}

/**
 * The value of `X-Ignored-Parameters`. Caller input goes into a header here, so only plain characters pass, and never
 * an API key.
 */
export function nameIgnored(names: readonly string[]): string | null {
  const cleaned = names.map((name) =>
    name
      .replace(/vt_(?:test|live)_[0-9a-z]*/gi, 'vt_')
      .slice(0, ignoredLength)
      .replace(/[^\w.[\]-]/g, '_'),
  )
  return [...new Set(cleaned)].slice(0, ignoredAtMost).filter(Boolean).join(', ') || null
}

function parseId(name: string, value: string | undefined, complaints: Complaints): string {
  if (value === undefined || value.trim() === '') complaints.add(name, 'is required')
  else if (value.length > 4_096) complaints.add(name, 'is longer than 300 characters')
  // A key sent here by mistake would go to the provider and be stored as an identifier.
  else if (apiKey.test(value)) complaints.add(name, 'is an API key: send it as the ApiKey header')
  return value ?? ''
}

function parseFlag(name: string, value: string | undefined, complaints: Complaints): boolean {
  if (value === undefined) return false
  const flag = flagValues.get(value.toLowerCase())
  if (flag === undefined) complaints.add(name, 'must be true, false, 1 or 0')
  return flag ?? false
}

function parseMaxAge(value: string | undefined, complaints: Complaints): number | null {
  if (value === undefined) return null
  if (!decimal.test(value)) complaints.add('max_age_days', 'must be a plain number of days such as 0, 0.5 or 7')
  return Number(value)
}

/** Reads the spend tag. It must be short and plain, because reports print it unchanged. */
export function parseSpendTag(header: string | undefined): string | null {
  if (header === undefined) return null
  if (spendTagForm.test(header)) return header
  const complaints = new Complaints()
  complaints.add('X-Spend-Tag', 'must be 1 to 64 letters, digits, dots, hyphens or underscores')
  throw complaints.failure()
}

const noDirectives = { onlyStored: false, refuseStale: false }

/** Reads `only-if-cached` and `stale-if-error=0`; other directives are ignored, as HTTP asks. */
export function parseCacheControl(header: string | undefined): { onlyStored: boolean; refuseStale: boolean } {
  if (header === undefined) return noDirectives
  const directives = header.split(',').map((part) => part.trim().toLowerCase())
  return {
    onlyStored: directives.includes('only-if-cached'),
    refuseStale: directives.some((directive) => /^stale-if-error\s*=\s*"?0+"?$/.test(directive)),
  }
}

const keyLengthAtMost = 255
const visible = /^[\x21-\x7e]+$/
/** A structured-field string (RFC 9651) of visible characters only. */
const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/

/** Reads `Idempotency-Key`. The quoted and the plain form of a value are the same key; null = absent. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string') throw unusable('must be sent once')
  const value = header.startsWith('"') ? unquote(header) : header
  if (value === null || !visible.test(value) || value.length > keyLengthAtMost) {
    throw unusable(`must be 1 to ${keyLengthAtMost} visible ASCII characters, bare or as a quoted string`)
  }
  return value
}

function unquote(text: string): string | null {
  const content = quoted.exec(text)?.[1]
  return content?.replaceAll(/\\(["\\])/g, '$1') ?? null
}

function unusable(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `Idempotency-Key ${detail}`,
    errors: [{ parameter: 'Idempotency-Key', detail }],
    broken: [{ parameter: 'Idempotency-Key', rule: detail }],
  })
}
