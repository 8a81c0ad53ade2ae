import type { Kind } from '@vitae/contract'
import { endpointUrl, type Identifier, type ProviderSettings, type WireRequest } from '@vitae/provider'

const root = '/cdapi/v2'

function headers(settings: ProviderSettings): Record<string, string> {
  return { apikey: settings.key, accept: 'application/json' }
}

/** Digits in the path mean Coresignal's own id, so a slug of digits goes as the address of its page. */
function pathSegment(slug: string): string {
  return encodeURIComponent(/^\d+$/.test(slug) ? `https://www.linkedin.com/in/${slug}` : slug)
}

/** Asks for a person by slug. */
export function collectPersonRequest(settings: ProviderSettings, identifier: Identifier): WireRequest {
  const url = endpointUrl(settings.url, root, `/employee_multi_source/collect/${pathSegment(identifier.value)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Asks for a company by slug or by Coresignal's own id. */
export function collectCompanyRequest(settings: ProviderSettings, slugOrVendorId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/company_multi_source/collect/${encodeURIComponent(slugOrVendorId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Asks for a record by Coresignal's own id. */
export function collectFoundRequest(settings: ProviderSettings, kind: Kind, vendorId: string): WireRequest {
  const dataset = kind === 'people' ? 'employee_multi_source' : 'company_multi_source'
  const url = endpointUrl(settings.url, root, `/${dataset}/collect/${encodeURIComponent(vendorId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Asks for the company that has its site at a domain. */
export function enrichCompanyRequest(settings: ProviderSettings, domain: string): WireRequest {
  const url = endpointUrl(settings.url, root, '/company_multi_source/enrich')
  url.searchParams.set('website', domain)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Asks for Coresignal's ids of the company that has this number on the platform. */
export function searchCompanyRequest(settings: ProviderSettings, companyNumber: string): WireRequest {
  const url = endpointUrl(settings.url, root, '/company_multi_source/search/es_dsl')
  const body = JSON.stringify({ query: { term: { source_id: companyNumber } } })
  return { method: 'POST', url, headers: { ...headers(settings), 'content-type': 'application/json' }, body }
}
