import type {
  CompanyMatch,
  CompanyOptions,
  ExpectedPerson,
  HistoryOptions,
  LookupOptions,
  MatchCompanyOptions,
  MatchPersonOptions,
  PersonMatch,
  ProfileOptions,
  ResolveOptions,
  RecordChangesOptions,
  StatementOptions,
  UsageOptions,
} from './options.ts'

/** The request of one logical call, identical for each attempt. */
export type ApiRequest = {
  method?: 'POST' | 'DELETE'
  path: string
  /** JSON. */
  body?: string
  idempotencyKey: string
  cacheControl: string | null
  spendTag: string | undefined
}

/** The request for a person. */
export function profileRequest(id: string, options: ProfileOptions): ApiRequest {
  const parameters = {
    profile_id: readIdentifier(id),
    include_network_info: options.includeNetworkInfo,
    include_contact_info: options.includeContactInfo,
    get_verification_details: options.getVerificationDetails,
    ...freshness(options),
    fields: options.fields?.join(),
    ...expected(options.expect),
  }
  return { path: `/v1/people/profile?${printQuery(parameters)}`, ...sendOptions(options) }
}

/** The request for a company. */
export function companyRequest(id: string, options: CompanyOptions): ApiRequest {
  const parameters = {
    company_id: readIdentifier(id),
    ...freshness(options),
    fields: options.fields?.join(),
    ...expected(options.expect),
  }
  return { path: `/v1/companies/details?${printQuery(parameters)}`, ...sendOptions(options) }
}

/** The request to match a person. The known facts are only in the body, never in the URL. */
export function matchPersonRequest(held: PersonMatch, options: MatchPersonOptions): ApiRequest {
  const body = {
    ...heldPerson(held),
    include_network_info: options.includeNetworkInfo,
    include_contact_info: options.includeContactInfo,
    get_verification_details: options.getVerificationDetails,
    ...matchOptions(options),
  }
  return { method: 'POST', path: '/v1/people/match', body: JSON.stringify(body), ...sendOptions(options) }
}

/** The known facts of a person, under the service's names. */
export function heldPerson(held: PersonMatch) {
  return {
    email: held.email,
    phone: held.phone,
    first_name: held.firstName,
    last_name: held.lastName,
    name: held.name,
    company: held.company,
    company_domain: held.companyDomain,
    company_id: held.companyId,
    location: held.location,
    profile_id: held.profileId,
  }
}

/** The request to match a company. */
export function matchCompanyRequest(held: CompanyMatch, options: MatchCompanyOptions): ApiRequest {
  const { name, domain, country, companyId: company_id } = held
  const body = JSON.stringify({ name, domain, country, company_id, ...matchOptions(options) })
  return { method: 'POST', path: '/v1/companies/match', body, ...sendOptions(options) }
}

function matchOptions(options: MatchCompanyOptions | MatchPersonOptions) {
  const { maxAgeDays, bypassCache, require, fields, minLikelihood } = options
  return {
    max_age_days: maxAgeDays,
    bypass_cache: bypassCache,
    require: require?.join(),
    fields: fields?.join(),
    min_likelihood: minLikelihood,
  }
}

/** The preflight request for the same lookup. */
export function preflightOf(request: ApiRequest): ApiRequest {
  return { ...request, path: request.path.replace('?', '/preflight?') }
}

/** The request for the state of the key. */
export function accountRequest(): ApiRequest {
  return { path: '/v1/account', ...sendOptions({}) }
}

/** The request to find the company of a domain. */
export function resolveRequest(domain: string, options: ResolveOptions): ApiRequest {
  if (typeof domain !== 'string' || domain.trim() === '') throw new TypeError('the domain must be a name or a URL')
  return { path: `/v1/companies/resolve?${printQuery({ domain })}`, ...sendOptions(options) }
}

/** The request for the environment's calls and credits. */
export function usageRequest({ from, to, by }: UsageOptions): ApiRequest {
  return {
    path: `/v1/usage?${printQuery({ from: printTime(from), to: printTime(to), by: by?.join() })}`,
    ...sendOptions({}),
  }
}

/** The request for the statement of a month. */
export function statementRequest({ month }: StatementOptions): ApiRequest {
  return { path: `/v1/statement?${printQuery({ month })}`, ...sendOptions({}) }
}

/** The request for changes of the record keys that the environment holds. */
export function recordChangesRequest({ after, kind, limit }: RecordChangesOptions): ApiRequest {
  return { path: `/v1/records/changes?${printQuery({ after, kind, limit: limit?.toString() })}`, ...sendOptions({}) }
}

/** The request for the receipt of a call. */
export function receiptRequest(requestId: string): ApiRequest {
  if (typeof requestId !== 'string' || requestId === '') throw new TypeError('the request id must be a text')
  return { path: `/v1/receipts/${encodeURIComponent(requestId)}`, ...sendOptions({}) }
}

/** The request for the versions of a record. */
export function historyRequest(
  kind: 'people' | 'companies',
  id: string,
  { before, limit }: HistoryOptions,
): ApiRequest {
  const name = kind === 'people' ? 'profile_id' : 'company_id'
  const parameters = { [name]: readIdentifier(id), before: before?.toString(), limit: limit?.toString() }
  return { path: `/v1/${kind}/history?${printQuery(parameters)}`, ...sendOptions({}) }
}

/** The request for the provider and fetch time of every unit of a record. */
export function provenanceRequest(kind: 'people' | 'companies', id: string): ApiRequest {
  const name = kind === 'people' ? 'profile_id' : 'company_id'
  return { path: `/v1/${kind}/provenance?${printQuery({ [name]: readIdentifier(id) })}`, ...sendOptions({}) }
}

function printTime(time: Date | string | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time
}

function readIdentifier(id: unknown): string {
  if (typeof id === 'string' && id.trim() !== '') return id
  throw new TypeError('the identifier must be a slug, an id or a URL')
}

function freshness({ maxAgeDays, bypassCache, require }: LookupOptions) {
  return {
    require: require?.join(),
    max_age_days: maxAgeDays === undefined ? undefined : printDays(maxAgeDays),
    bypass_cache: bypassCache,
  }
}

function expected(expect: ExpectedPerson = {}) {
  return {
    'expect.first_name': expect.firstName,
    'expect.last_name': expect.lastName,
    'expect.company_name': expect.companyName,
    'expect.company_domain': expect.companyDomain,
    'expect.country_code': expect.countryCode,
  }
}

/** Days as a plain decimal, because the service does not accept exponents. Its maximum is far below a million days. */
export function printDays(days: number): string {
  if (!Number.isFinite(days) || days < 0) throw new TypeError('maxAgeDays must be a number from 0')
  const text = String(Math.min(days, 1_000_000))
  return text.includes('e') ? '0' : text
}

function printQuery(parameters: { [name: string]: string | boolean | undefined }): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.toString()
}

/** The header options of a call. */
export function sendOptions({ idempotencyKey, onlyStored, refuseStale, spendTag }: LookupOptions) {
  const directives = [onlyStored && 'only-if-cached', refuseStale && 'stale-if-error=0'].filter(Boolean)
  return {
    idempotencyKey: readIdempotencyKey(idempotencyKey ?? crypto.randomUUID()),
    cacheControl: directives.join(', ') || null,
    spendTag: readSpendTag(spendTag),
  }
}

function readIdempotencyKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]{1,255}$/.test(key)) return key
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters')
}

/** A valid spend tag, or undefined. Throws for any other value. */
export function readSpendTag(tag: unknown): string | undefined {
  if (tag === undefined || (typeof tag === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(tag))) return tag
  throw new TypeError('spendTag must be 1 to 64 letters, digits, dots, hyphens or underscores')
}
