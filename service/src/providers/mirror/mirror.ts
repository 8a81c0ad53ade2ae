import type { Kind } from '@vitae/contract'
import { projectContract } from '../contract-shape/contract-projection.ts'
import { everyField } from '../contract-shape/every-field.ts'
import { endpointUrl, type Provider, type ProviderAsk, type ProviderSettings, type WireRequest } from '@vitae/provider'
import { mirrorVerdict } from './answer.ts'

/** Another service that speaks this contract, as a provider. */
export function mirror({ url, key }: ProviderSettings): Provider {
  const endpoints = {
    people: endpointUrl(url, '/v1', '/people/profile').href,
    companies: endpointUrl(url, '/v1', '/companies/details').href,
  }
  return {
    name: 'mirror',
    supplies: everyField,
    projectionVersion: 3,
    async ask(ask, send) {
      return mirrorVerdict(await send(mirrorRequest(endpoints, key, ask), ask.signal), ask)
    },
    project: (kind, payload) => projectContract('mirror', kind, payload),
  }
}

const everyPart = { include_network_info: 'true', include_contact_info: 'true', get_verification_details: 'true' }

/**
 * The call to another service of this contract. All optional parts are asked for always: they are only blanked on the
 * way out, so one stored record serves every caller.
 */
function mirrorRequest(endpoints: Record<Kind, string>, key: string, ask: ProviderAsk): WireRequest {
  const { kind, value } = ask.identifier
  const query = new URLSearchParams({
    ...(kind === 'people' ? { profile_id: value, ...everyPart } : { company_id: value }),
    ...freshness(ask),
  })
  const headers = { ApiKey: key, Accept: 'application/json', 'Idempotency-Key': ask.idempotencyKey }
  return { method: 'GET', url: new URL(`${endpoints[kind]}?${query.toString()}`), headers }
}

function freshness({ fresh, maxAgeDays }: ProviderAsk): Record<string, string> {
  if (fresh) return { bypass_cache: 'true', max_age_days: '0' }
  return Number.isFinite(maxAgeDays) ? { max_age_days: plainDecimal(maxAgeDays) } : {}
}

/** Without an exponent, which the contract's numbers do not have. */
function plainDecimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
