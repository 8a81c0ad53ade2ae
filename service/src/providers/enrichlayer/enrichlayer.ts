import {
  type Identifier,
  matchFacts,
  type MatchInput,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type Send,
  type Verdict,
  endpointUrl,
  type WireRequest,
} from '@vitae/provider'
import { isTooOld, checkAnswer, type CheckedAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { supplies } from './supplies.ts'
import type { Kind } from '@vitae/contract'

export const enrichlayerDefaultUrl = 'https://enrichlayer.com'

/** One fetch at the given freshness; it may take several exchanges. */
type Fetch = (freshness: Freshness) => Promise<CheckedAnswer>

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
}

function withCost(checked: CheckedAnswer, before: number | null): CheckedAnswer {
  return { ...checked, verdict: { ...checked.verdict, cost: add(before, checked.verdict.cost) } }
}

/**
 * A provider's copy of up to this age is accepted for any ask but a fresh one, because a forced fetch costs ten times
 * as much.
 */
const ordinaryDays = 7

/** Repeats the fetch live, once, if the provider's cached copy is too old for an ordinary fetch. */
async function freshEnough(ask: ProviderAsk, fetch: Fetch): Promise<CheckedAnswer> {
  if (ask.fresh) return fetch('live')
  const kept = await fetch('recent')
  return isTooOld(kept, Math.max(ask.maxAgeDays, ordinaryDays))
    ? withCost(await fetch('live'), kept.verdict.cost)
    : kept
}

/** The page URL of a company: built from the slug, or requested if only the number or the domain is known. */
async function findPage(
  settings: ProviderSettings,
  identifier: Identifier,
  exchange: (request: ReturnType<typeof resolveIdRequest>) => Promise<CheckedAnswer>,
): Promise<string | CheckedAnswer> {
  const { type, value } = identifier
  if (type !== 'id' && type !== 'domain') return companyPage('company', value)
  const request = type === 'id' ? resolveIdRequest(settings, value) : resolveDomainRequest(settings, value)
  const resolved = await exchange(request)
  if (typeof resolved.body.url === 'string' && resolved.body.url !== '') return resolved.body.url
  return { ...resolved, verdict: { ...resolved.verdict, outcome: 'not_found' } }
}

/**
 * Schools have their own endpoint, and a slug does not show which one to use, so the company endpoint is asked first.
 */
async function fetchCompany(
  settings: ProviderSettings,
  page: string,
  freshness: Freshness,
  exchange: (request: ReturnType<typeof companyRequest>) => Promise<CheckedAnswer>,
): Promise<CheckedAnswer> {
  if (page.includes('/school/')) return exchange(companyRequest(settings, 'school', page, freshness))
  const company = await exchange(companyRequest(settings, 'company', page, freshness))
  if (company.verdict.outcome === 'found' || page.includes('/showcase/')) return company
  const school = page.replace('/company/', '/school/')
  return withCost(await exchange(companyRequest(settings, 'school', school, freshness)), company.verdict.cost)
}

/** Finds the page first and then fetches it, so a match costs two exchanges. */
async function askByMatch(
  settings: ProviderSettings,
  ask: ProviderAsk,
  match: MatchInput,
  send: Send,
): Promise<Verdict> {
  const { kind } = ask.identifier
  const checked = checkAnswer(await send(matchRequest(settings, kind, match), ask.signal))
  const { url, linkedin_profile_url: profile, profile_url: page = url ?? profile } = checked.body
  const slug = slugOfPage(page)
  if (!slug) return { ...checked.verdict, outcome: 'not_found' }
  const identifier: Identifier = { kind, type: 'slug', value: slug }
  const found = await askEnrichlayer(settings, { ...ask, identifier }, send)
  const cost = add(checked.verdict.cost, found.cost)
  return found.outcome === 'found' ? { ...found, cost, match: matchFacts(askedBy(match)) } : { ...found, cost }
}

/** Only the most reliable part is sent, so only that part can have agreed. */
function askedBy({ email, phone, domain, ...others }: MatchInput): Partial<MatchInput> {
  if (email) return { email }
  if (phone) return { phone }
  return domain ? { domain } : others
}

function slugOfPage(page: unknown): string | null {
  const slug = typeof page === 'string' ? /\/(?:in|company|school)\/([^/?#]+)/.exec(page)?.[1] : undefined
  return slug === undefined ? null : decodeURIComponent(slug).toLowerCase()
}

async function askEnrichlayer(settings: ProviderSettings, ask: ProviderAsk, send: Send): Promise<Verdict> {
  if (ask.identifier.match) return askByMatch(settings, ask, ask.identifier.match, send)
  const exchange = async (request: Parameters<Send>[0]) => checkAnswer(await send(request, ask.signal))
  if (ask.identifier.kind === 'people') {
    const checked = await freshEnough(ask, (freshness) => exchange(profileRequest(settings, ask.identifier, freshness)))
    return checked.verdict
  }
  const page = await findPage(settings, ask.identifier, exchange)
  if (typeof page !== 'string') return page.verdict
  const checked = await freshEnough(ask, (freshness) => fetchCompany(settings, page, freshness, exchange))
  return checked.verdict
}

/** Enrich Layer, the successor of Proxycurl with the same answers. */
export function enrichlayer(settings: ProviderSettings): Provider {
  return {
    name: 'enrichlayer',
    supplies,
    projectionVersion: 4,
    asksByDomain: true,
    matchesBy: {
      people: [['email'], ['phone'], ['first_name', 'company_domain'], ['first_name', 'company']],
      companies: [['name'], ['domain']],
    },
    ask: (ask, send) => askEnrichlayer(settings, ask, send),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}

/** `live` skips the provider's cache; `recent` accepts its copy if younger than 29 days. */
type Freshness = 'live' | 'recent'

function get(settings: ProviderSettings, path: string, query: Record<string, string>): WireRequest {
  const url = endpointUrl(settings.url, '/api/v2', path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { method: 'GET', url, headers: { authorization: `Bearer ${settings.key}`, accept: 'application/json' } }
}

/** Vitae alone decides when an old copy is acceptable, so the provider must never fall back to its cache. */
function freshnessFlags(freshness: Freshness): Record<string, string> {
  return freshness === 'live'
    ? { live_fetch: 'force', fallback_to_cache: 'never' }
    : { use_cache: 'if-recent', fallback_to_cache: 'never' }
}

/** Requests a person by slug or opaque member id. */
function profileRequest(settings: ProviderSettings, identifier: Identifier, freshness: Freshness): WireRequest {
  return get(settings, '/profile', {
    profile_url: `https://www.linkedin.com/in/${encodeURIComponent(identifier.value)}/`,
    skills: 'include',
    extra: 'include',
    ...freshnessFlags(freshness),
  })
}

/** The platform page of a company slug for one of the two company endpoints. */
function companyPage(endpoint: 'company' | 'school', slug: string): string {
  return `https://www.linkedin.com/${endpoint}/${encodeURIComponent(slug)}/`
}

/** Requests a company or a school, which has its own endpoint with the same answer. */
function companyRequest(
  settings: ProviderSettings,
  endpoint: 'company' | 'school',
  pageUrl: string,
  freshness: Freshness,
): WireRequest {
  const extras = endpoint === 'company' ? { extra: 'include', funding_data: 'include' } : {}
  return get(settings, `/${endpoint}`, { url: pageUrl, ...extras, ...freshnessFlags(freshness) })
}

/** Requests the page of a company number; this is free. */
function resolveIdRequest(settings: ProviderSettings, companyNumber: string): WireRequest {
  return get(settings, '/company/resolve-id', { id: companyNumber })
}

/** Requests the page of the company at a domain. */
function resolveDomainRequest(settings: ProviderSettings, domain: string): WireRequest {
  return get(settings, '/company/resolve', { company_domain: domain })
}

/** Requests the page that matches the most reliable part of the input. */
function matchRequest(settings: ProviderSettings, kind: Kind, match: MatchInput): WireRequest {
  const { email, phone, name = '', first_name = '', last_name = '', domain, country, location } = match
  if (kind === 'companies') {
    const asked = domain ? { company_domain: domain } : { company_name: name }
    return get(settings, '/company/resolve', {
      ...asked,
      ...(country ? { company_location: country.toLowerCase() } : {}),
    })
  }
  if (email) return get(settings, '/profile/resolve/email', { email, lookup_depth: 'deep' })
  if (phone) return get(settings, '/resolve/phone', { phone_number: phone })
  const place = location ? { location } : {}
  return get(settings, '/profile/resolve', {
    first_name,
    last_name,
    // This parameter accepts a name as well.
    company_domain: match.company_domain ?? match.company ?? '',
    ...place,
    similarity_checks: 'include',
  })
}
