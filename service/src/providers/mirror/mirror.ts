import { projectContract } from '../contract-shape/contract-projection.ts'
import { everyField } from '../contract-shape/every-field.ts'
import type { Provider, ProviderAsk, ProviderSettings, WireRequest } from '../provider.ts'
import { mirrorVerdict } from './answer.ts'
import { endpointUrl } from '../transport/endpoint-url.ts'

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

const everyPart = { include_network_info: 'true', include_contact_info: 'true', get_verification_details: 'true' }

/**
 * The call to another service of this contract. All optional parts are asked for always: they are only blanked on the
 * way out, so one stored record serves every caller.
 */
function mirrorRequest({ url: base, key }: ProviderSettings, ask: ProviderAsk): WireRequest {
  const { kind, value } = ask.identifier
  const url =
    kind === 'people' ? endpointUrl(base, '/v1', '/people/profile') : endpointUrl(base, '/v1', '/companies/details')
  url.search = new URLSearchParams({
    ...(kind === 'people' ? { profile_id: value, ...everyPart } : { company_id: value }),
    ...freshness(ask),
  }).toString()
  const headers = { ApiKey: key, Accept: 'application/json', 'Idempotency-Key': ask.idempotencyKey }
  return { method: 'GET', url, headers }
}

function freshness({ fresh, maxAgeDays }: ProviderAsk): Record<string, string> {
  if (fresh) return { bypass_cache: 'true', max_age_days: '0' }
  return Number.isFinite(maxAgeDays) ? { max_age_days: plainDecimal(maxAgeDays) } : {}
}

/** Without an exponent, which the contract's numbers do not have. */
function plainDecimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
