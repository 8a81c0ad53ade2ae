import { endpointUrl, type Identifier, type Provider, type ProviderSettings, type WireRequest } from '@vitae/provider'
import { checkAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { supplies } from './supplies.ts'

export const harvestapiDefaultUrl = 'https://api.harvest-api.com'

/** The query parameter for each type of identifier. */
const parameters = {
  people: { slug: 'publicIdentifier', other: 'profileId' },
  companies: { slug: 'universalName', other: 'companyId' },
} as const

/**
 * Requests one record. HarvestAPI has no cache and reads the platform on every call, so there is no freshness
 * parameter.
 */
function recordRequest(settings: ProviderSettings, { kind, type, value }: Identifier): WireRequest {
  const url = endpointUrl(settings.url, '/linkedin', kind === 'people' ? '/profile' : '/company')
  url.searchParams.set(parameters[kind][type === 'slug' ? type : 'other'], value)
  return { method: 'GET', url, headers: { 'x-api-key': settings.key, accept: 'application/json' } }
}

/** HarvestAPI reads the platform on every call, so every answer is live. */
export function harvestapi(settings: ProviderSettings): Provider {
  return {
    name: 'harvestapi',
    supplies,
    projectionVersion: 4,
    ask: async (ask, send) => checkAnswer(await send(recordRequest(settings, ask.identifier), ask.signal)),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}
