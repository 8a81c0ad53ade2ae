import type { Identifier } from '../../foundation/identifier.ts'
import { endpointUrl } from '../transport/endpoint-url.ts'
import type { WireRequest } from '../provider.ts'
import type { ProviderSettings } from '../provider-settings.ts'

function subject(identifier: Identifier): [name: string, value: string] {
  if (identifier.kind === 'companies') return ['profile', `linkedin.com/company/${identifier.value}`]
  if (identifier.type === 'id') return ['lid', identifier.value]
  return ['profile', `linkedin.com/in/${identifier.value}`]
}

/**
 * Asks for one record. The data set is made monthly and there is no cache to skip, so freshness has no flag here;
 * names come in lower case unless `titlecase` is set.
 */
export function enrichRequest(settings: ProviderSettings, identifier: Identifier): WireRequest {
  const url = endpointUrl(settings.url, '/v5', identifier.kind === 'people' ? '/person/enrich' : '/company/enrich')
  url.searchParams.set(...subject(identifier))
  url.searchParams.set('titlecase', 'true')
  return { method: 'GET', url, headers: { 'x-api-key': settings.key, accept: 'application/json' } }
}
