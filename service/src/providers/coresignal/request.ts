import type { Kind } from '@vitae/contract'
import { endpointUrl, type Identifier, type ProviderSettings, type WireRequest, type MatchInput } from '@vitae/provider'

const root = '/cdapi/v2'

function headers(settings: ProviderSettings): Record<string, string> {
  return { apikey: settings.key, accept: 'application/json' }
}

/** Digits in the path mean Coresignal's own id, so a slug of digits is sent as its page address. */
function pathSegment(slug: string): string {
  return encodeURIComponent(/^\d+$/.test(slug) ? `https://www.linkedin.com/in/${slug}` : slug)
}

/** Requests a person by slug. */
export function collectPersonRequest(settings: ProviderSettings, identifier: Identifier): WireRequest {
  const url = endpointUrl(settings.url, root, `/employee_multi_source/collect/${pathSegment(identifier.value)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Requests a company by slug or by Coresignal's own id. */
export function collectCompanyRequest(settings: ProviderSettings, slugOrVendorId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/company_multi_source/collect/${encodeURIComponent(slugOrVendorId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Requests a record by Coresignal's own id. */
export function collectFoundRequest(settings: ProviderSettings, kind: Kind, vendorId: string): WireRequest {
  const dataset = kind === 'people' ? 'employee_multi_source' : 'company_multi_source'
  const url = endpointUrl(settings.url, root, `/${dataset}/collect/${encodeURIComponent(vendorId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Requests the company whose site is at a domain. */
export function enrichCompanyRequest(settings: ProviderSettings, domain: string): WireRequest {
  const url = endpointUrl(settings.url, root, '/company_multi_source/enrich')
  url.searchParams.set('website', domain)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Requests Coresignal's ids of the company with this platform number. */
export function searchCompanyRequest(settings: ProviderSettings, companyNumber: string): WireRequest {
  const url = endpointUrl(settings.url, root, '/company_multi_source/search/es_dsl')
  const body = JSON.stringify({ query: { term: { source_id: companyNumber } } })
  return { method: 'POST', url, headers: { ...headers(settings), 'content-type': 'application/json' }, body }
}

/** A query in Coresignal's search language, and the parts of the input that it uses. */
interface SearchQuestion {
  query: object
  agreed: Partial<MatchInput>
}

/**
 * Uses only the most reliable part of the input: an email address, else a name with an employer. Every word of a name
 * has to match.
 */
export function matchQuestion(kind: Kind, { email, name = '', company, company_domain }: MatchInput): SearchQuestion {
  if (kind === 'companies') return { query: phrase('company_name', name), agreed: { name } }
  if (email) return { query: addressQuery(email), agreed: { email } }
  const isCalled = { match: { full_name: { query: name, operator: 'and' } } }
  const employer = company_domain
    ? phrase('experience.company_website.domain_only', company_domain)
    : phrase('experience.company_name', company ?? '')
  const query = { bool: { must: [isCalled, { nested: { path: 'experience', query: employer } }] } }
  return { query, agreed: company_domain ? { name, company_domain } : { name, ...(company ? { company } : {}) } }
}

/** Requests a search, which returns ids, best first. It costs credits of its own. */
export function searchRequest(settings: ProviderSettings, kind: Kind, query: object): WireRequest {
  const dataset = kind === 'people' ? 'employee_multi_source' : 'company_multi_source'
  const url = endpointUrl(settings.url, '/cdapi/v2', `/${dataset}/search/es_dsl`)
  const headers = { apikey: settings.key, accept: 'application/json', 'content-type': 'application/json' }
  return { method: 'POST', url, headers, body: JSON.stringify({ query }) }
}

/** Work addresses: one is the primary address, and all are in a list. */
function addressQuery(email: string): object {
  const path = 'professional_emails_collection'
  const listed = { nested: { path, query: { term: { [`${path}.professional_email.exact`]: email } } } }
  return {
    bool: { should: [{ term: { 'primary_professional_email.exact': email } }, listed], minimum_should_match: 1 },
  }
}

function phrase(field: string, text: string): object {
  return { match_phrase: { [field]: text } }
}
