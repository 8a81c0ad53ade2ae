import type { Identifier } from '../../foundation/identifier.ts'
import { endpointUrl } from '../transport/endpoint-url.ts'
import type { WireRequest } from '../provider.ts'
import type { ProviderSettings } from '../provider-settings.ts'

/** What HarvestAPI calls each way of naming an entity. */
const parameters = {
  people: { slug: 'publicIdentifier', opaque: 'profileId', id: 'profileId' },
  companies: { slug: 'universalName', id: 'companyId', opaque: 'companyId' },
} as const

/** Asks for one record. There is no flag for freshness: HarvestAPI has no cache, every call reads the platform. */
export function recordRequest(settings: ProviderSettings, { kind, type, value }: Identifier): WireRequest {
  const url = endpointUrl(settings.url, '/linkedin', kind === 'people' ? '/profile' : '/company')
  url.searchParams.set(parameters[kind][type], value)
  return { method: 'GET', url, headers: { 'x-api-key': settings.key, accept: 'application/json' } }
}
