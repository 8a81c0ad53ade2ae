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
  creditsIn,
  header,
  instant,
  type MatchSignal,
  parseObject,
  ProviderFault,
  type RawAnswer,
  throwFaultOf,
  type Verdict,
} from '@vitae/provider'
import { dayMs } from '../../foundation/clock.ts'

/** Another service with this contract, as a provider. */
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
    projectionVersion: 4,
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
 * The request to another service with this contract. It always asks for all optional parts: they are only removed from
 * responses, so one stored record serves every caller.
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

/** The same question in a body, so that none of it appears in the URL. */
function matchRequest(url: string, key: string, ask: ProviderAsk, match: MatchInput): WireRequest {
  // The other service has its own company ids; names and domains are the same.
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

/** Without an exponent, which the contract's numbers do not allow. */
function plainDecimal(value: number): string {
  return value.toFixed(6).replace(/\.?0+$/, '')
}

/** The other service counts whole seconds, by its own clock. */
const toleranceMs = 60_000

/** The meaning of the mirror's answer. Only the projection reads the body of a found record. */
function mirrorVerdict(answer: RawAnswer, ask: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>): Verdict {
  throwFaultOf('mirror', answer.status, answer)
  const cost = creditsIn(answer, 'X-Credits-Charged')
  if (answer.status === 404) {
    if (!saysNotFound(answer)) throw invalid('a 404 that is not about a record', answer)
    return { outcome: 'not_found', answer, cost }
  }
  if (answer.status !== 200) throw invalid(`the status ${answer.status}`, answer)
  if (!isJson(answer)) throw invalid('a record that is not declared as JSON', answer)
  const fetchedAt = fetchedAtOf(answer)
  const sourceUpdatedAt = instant(header(answer, 'X-Source-Updated-At')) ?? fetchedAt
  return { outcome: 'found', answer, cost, sourceUpdatedAt, ...provenance(answer, fetchedAt, ask) }
}

/** Like `mirrorVerdict`, for a match, including its likelihood. A service without matches counts as not found. */
function mirrorMatchVerdict(answer: RawAnswer, ask: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>): Verdict {
  if (answer.status === 404 && isJson(answer)) {
    const { code } = parseObject('mirror', answer.body, answer)
    const unknown = { outcome: 'not_found', answer, cost: null } as const
    if (code === 'ambiguous_match') return { ...unknown, isAmbiguous: true }
    if (code === 'no_match' || code === 'identity_mismatch' || code === 'route_not_found') return unknown
  }
  const verdict = mirrorVerdict(answer, ask)
  if (verdict.outcome !== 'found') return verdict
  const likelihood = Number(header(answer, 'X-Match-Likelihood') ?? 0)
  const matchedOn = (header(answer, 'X-Matched-On') ?? '').split(',').map((signal) => signal.trim())
  const known = matchedOn.filter((signal): signal is MatchSignal => signals.has(signal))
  return { ...verdict, match: { likelihood: likelihood >= 0 && likelihood <= 1 ? likelihood : 0, matchedOn: known } }
}

const signals: ReadonlySet<string> = new Set<MatchSignal>([
  'email',
  'phone',
  'name',
  'company',
  'company_domain',
  'domain',
])

/**
 * The age and source of the data. A service that returns an age but no source answered from its store. Data that is not
 * live never answers a call for fresh data: that counts as an outage of the mirror, so that another provider or our own
 * copy can answer. Data older than requested is a stale copy, whatever the other service calls it.
 */
function provenance(
  answer: RawAnswer,
  stated: number | null,
  { fresh, maxAgeDays }: Pick<ProviderAsk, 'fresh' | 'maxAgeDays'>,
): Pick<Verdict, 'fetchedAt' | 'notLive'> {
  const fetchedAt = stated ?? answer.receivedAt
  const ageMs = answer.receivedAt - fetchedAt
  const source = header(answer, 'X-Data-Source') ?? (ageMs > toleranceMs ? 'store' : 'live')
  if (source !== 'store' && source !== 'stale_fallback') return {}
  if (fresh) {
    throw new ProviderFault('unavailable', 'mirror answered a call for fresh data from a stored copy', { answer })
  }
  const isTooOld = ageMs > maxAgeDays * dayMs + toleranceMs
  return { fetchedAt, notLive: isTooOld ? 'stale_fallback' : source }
}

/**
 * When the data was fetched, from its time or else its age. Clocks may differ, so it is never later than the time of
 * receipt.
 */
function fetchedAtOf(answer: RawAnswer): number | null {
  const age = header(answer, 'X-Data-Age-Seconds')
  const byAge = age !== null && /^\d{1,10}$/.test(age.trim()) ? answer.receivedAt - Number(age) * 1_000 : null
  const stated = instant(header(answer, 'X-Fetched-At')) ?? byAge
  return stated === null ? null : Math.min(stated, answer.receivedAt)
}

/**
 * Whether a 404 is about the record. The contract does not define its body, so an empty body, `not_found` as text, and
 * a JSON object without another code count. A web page or other text comes from something in between, such as a wrong
 * address or a gateway. Treating that as "no such record" would withdraw every stored copy.
 */
function saysNotFound({ body }: RawAnswer): boolean {
  const text = new TextDecoder().decode(body).trim()
  if (text === '') return true
  if (/^not[ _-]found\.?$/i.test(text)) return true
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    return !('code' in value) || value.code === 'not_found' || value.code === 404
  } catch {
    return false
  }
}

function isJson(answer: RawAnswer): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(header(answer, 'content-type') ?? '')
}

function invalid(what: string, answer: RawAnswer): ProviderFault {
  return new ProviderFault('invalid', `mirror answered with ${what}`, { answer })
}
