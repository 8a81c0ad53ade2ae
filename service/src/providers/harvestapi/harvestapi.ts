import type { Provider } from '../provider.ts'
import type { ProviderSettings } from '../provider-settings.ts'
import { checkAnswer } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { recordRequest } from './request.ts'
import { supplies } from './supplies.ts'

export const harvestapiDefaultUrl = 'https://api.harvest-api.com'

/** HarvestAPI: reads the platform at each call, so every answer is as fresh as can be. */
export function harvestapi(settings: ProviderSettings): Provider {
  return {
    name: 'harvestapi',
    supplies,
    projectionVersion: 1,
    ask: async (ask, send) => checkAnswer(await send(recordRequest(settings, ask.identifier), ask.signal)),
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}
