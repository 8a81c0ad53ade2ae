import { projectContract } from '../contract-shape/contract-projection.ts'
import { everyField } from '../contract-shape/every-field.ts'
import type { Provider, ProviderSettings } from '../provider.ts'
import { mirrorVerdict } from './answer.ts'
import { mirrorRequest } from './request.ts'

/** Another service that speaks this contract, as a provider. */
export function mirror(settings: ProviderSettings): Provider {
  return {
    name: 'mirror',
    supplies: everyField,
    projectionVersion: 2,
    async ask(ask, send) {
      return mirrorVerdict(await send(mirrorRequest(settings, ask), ask.signal), ask)
    },
    project: (kind, payload) => projectContract('mirror', kind, payload),
  }
}
