import type { Kind } from '@vitae/contract'
import { endpointUrl, type Identifier, type MatchInput, type ProviderSettings, type WireRequest } from '@vitae/provider'

/** `live` skips the provider's cache; `recent` accepts its copy if younger than 29 days. */
export type Freshness = 'live' | 'recent'

function get(settings: ProviderSettings, path: string, query: Record<string, string>): WireRequest {
  const url = endpointUrl(settings.url, '/api/v2', path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { method: 'GET', url, headers: { authorization: `Bearer ${settings.key}`, accept: 'application/json' } }
}

/** Vitae alone decides when an old copy is good enough, so the provider must never fall back to its cache. */
function freshnessFlags(freshness: Freshness): Record<string, string> {
  return freshness === 'live'
    ? { live_fetch: 'force', fallback_to_cache: 'never' }
    : { use_cache: 'if-recent', fallback_to_cache: 'never' }
}

/** Asks for a person by slug or opaque member id. */
export function profileRequest(settings: ProviderSettings, identifier: Identifier, freshness: Freshness): WireRequest {
  return get(settings, '/profile', {
    profile_url: `https://www.linkedin.com/in/${encodeURIComponent(identifier.value)}/`,
    skills: 'include',
    extra: 'include',
    ...freshnessFlags(freshness),
  })
}

/** The platform page that a company slug names at one of the two company endpoints. */
export function companyPage(endpoint: 'company' | 'school', slug: string): string {
  return `https://www.linkedin.com/${endpoint}/${encodeURIComponent(slug)}/`
}

/** Asks for a company, or for a school, which is another endpoint with the same answer. */
export function companyRequest(
  settings: ProviderSettings,
  endpoint: 'company' | 'school',
  pageUrl: string,
  freshness: Freshness,
): WireRequest {
  const extras = endpoint === 'company' ? { extra: 'include', funding_data: 'include' } : {}
  return get(settings, `/${endpoint}`, { url: pageUrl, ...extras, ...freshnessFlags(freshness) })
}

/** Asks which page belongs to a company number; costs nothing. */
export function resolveIdRequest(settings: ProviderSettings, companyNumber: string): WireRequest {
  return get(settings, '/company/resolve-id', { id: companyNumber })
}

/** Asks which page belongs to the company of a domain. */
export function resolveDomainRequest(settings: ProviderSettings, domain: string): WireRequest {
  return get(settings, '/company/resolve', { company_domain: domain })
}

/** Asks whose page it is, by what is surest. */
export function matchRequest(settings: ProviderSettings, kind: Kind, match: MatchInput): WireRequest {
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
    // It takes a name in the same place.
    company_domain: match.company_domain ?? match.company ?? '',
    ...place,
    similarity_checks: 'include',
  })
}
