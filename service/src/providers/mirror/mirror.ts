import type { Kind } from '@vitae/contract'
import { projectContract } from '../contract-shape/contract-projection.ts'
import { everyField } from '../contract-shape/every-field.ts'
import {
  endpointUrl,
  type MatchInput,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type WireRequest,
} from '@vitae/provider'
import { mirrorMatchVerdict, mirrorVerdict } from './answer.ts'

/** Another service that speaks this contract, as a provider. */
export function mirror({ url, key }: ProviderSettings): Provider {
  const endpoints = {
    people: endpointUrl(url, '/v1', '/people/profile').href,
    companies: endpointUrl(url, '/v1', '/companies/details').href,
  }
  const matches = {
    people: endpointUrl(url, '/v1', '/people/match').href,
    companies: endpointUrl(url, '/v1', '/companies/match').href,
  }
  return {
    name: 'mirror',
    supplies: everyField,
    projectionVersion: 3,
    matchesBy: {
      people: [['email'], ['phone'], ['name', 'company'], ['name', 'company_domain']],
      companies: [['name'], ['domain']],
    },
    async ask(ask, send) {
      const { kind, match } = ask.identifier
      if (match) return mirrorMatchVerdict(await send(matchRequest(matches[kind], key, ask, match), ask.signal), ask)
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

/** The same question, in a body: nothing of it may stand in the address. */
function matchRequest(url: string, key: string, ask: ProviderAsk, match: MatchInput): WireRequest {
  // The other service has numbers of its own for companies; their names and domains are the same.
  const { minLikelihood: min_likelihood, company_id: _ours, first_name: _first, last_name: _last, ...others } = match
  const { fresh, maxAgeDays, identifier } = ask
  const parts = { include_network_info: true, include_contact_info: true, get_verification_details: true }
  const age = fresh ? { bypass_cache: true } : Number.isFinite(maxAgeDays) ? { max_age_days: maxAgeDays } : {}
  const body = JSON.stringify({ ...others, ...(identifier.kind === 'people' ? parts : {}), ...age, min_likelihood })
  const headers = { ApiKey: key, Accept: 'application/json', 'Idempotency-Key': ask.idempotencyKey }
  return { method: 'POST', url: new URL(url), headers: { ...headers, 'content-type': 'application/json' }, body }
}

function freshness({ fresh, maxAgeDays }: ProviderAsk): Record<string, string> {
  if (fresh) return { bypass_cache: 'true', max_age_days: '0' }
  return Number.isFinite(maxAgeDays) ? { max_age_days: plainDecimal(maxAgeDays) } : {}
}

/** Without an exponent, which the contract's numbers do not have. */
function plainDecimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}
