import type { Identifier } from '../../foundation/identifier.ts'
import type { Provider, RawAnswer, Verdict, WireRequest, ProviderSettings } from '../provider.ts'
import { creditsIn, parseObject, throwFaultOf, throwIfWebPage, throwIfOpaque } from '../shared/check-answer.ts'
import { endpointUrl } from '../transport/endpoint-url.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { supplies } from './supplies.ts'

const name = 'peopledatalabs'
export const peopledatalabsDefaultUrl = 'https://api.peopledatalabs.com'

/** People Data Labs: a monthly data set behind an enrich endpoint. */
export function peopledatalabs(settings: ProviderSettings): Provider {
  return {
    name,
    supplies,
    projectionVersion: 2,
    ask: async (ask, send) => {
      throwIfOpaque(name, ask.identifier)
      return checkAnswer(await send(enrichRequest(settings, ask.identifier), ask.signal))
    },
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}

/** The data set is made monthly and there is no cache to skip. Names come in lower case unless `titlecase` is set. */
function enrichRequest(settings: ProviderSettings, identifier: Identifier): WireRequest {
  const url = endpointUrl(settings.url, '/v5', identifier.kind === 'people' ? '/person/enrich' : '/company/enrich')
  url.searchParams.set(...subject(identifier))
  url.searchParams.set('titlecase', 'true')
  return { method: 'GET', url, headers: { 'x-api-key': settings.key, accept: 'application/json' } }
}

function subject(identifier: Identifier): [name: string, value: string] {
  if (identifier.kind === 'companies') return ['profile', `linkedin.com/company/${identifier.value}`]
  if (identifier.type === 'id') return ['lid', identifier.value]
  return ['profile', `linkedin.com/in/${identifier.value}`]
}

/** "No match" is a 404, as the status or in the envelope's own `status`. */
function checkAnswer(answer: RawAnswer): Verdict {
  throwFaultOf(name, answer.status, answer)
  const cost = creditsIn(answer, 'x-call-credits-spent')
  if (answer.status === 404) {
    throwIfWebPage(name, answer)
    return { outcome: 'not_found', answer, cost }
  }
  const { status } = parseObject(name, answer.body, answer)
  if (typeof status === 'number') throwFaultOf(name, status, answer)
  return { outcome: status === 404 ? 'not_found' : 'found', answer, cost }
}
