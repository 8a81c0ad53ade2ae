import type { Provider } from '../provider.ts'
import type { ProviderSettings } from '../provider-settings.ts'
import { throwIfOpaque } from '../shared/throw-if-opaque.ts'
import { checkAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { enrichRequest } from './request.ts'
import { supplies } from './supplies.ts'

export const peopledatalabsDefaultUrl = 'https://api.peopledatalabs.com'

/** People Data Labs: a monthly data set behind an enrich endpoint. */
export function peopledatalabs(settings: ProviderSettings): Provider {
  return {
    name: 'peopledatalabs',
    supplies,
    projectionVersion: 1,
    ask: async (ask, send) => {
      throwIfOpaque('peopledatalabs', ask.identifier)
      return checkAnswer(await send(enrichRequest(settings, ask.identifier), ask.signal))
    },
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}
