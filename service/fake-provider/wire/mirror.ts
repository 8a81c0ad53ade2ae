import { failures } from '@vitae/contract'
import { contractCompany } from '../contract-company.ts'
import { contractPerson } from '../contract-person.ts'
import {
  hasHeader,
  recordFor,
  slugIn,
  slugOf,
  slugOfMatch,
  type FakeReply,
  type FakeRequest,
  type Wire,
} from './wire.ts'

const codes: Record<number, keyof typeof failures> = {
  401: 'invalid_api_key',
  402: 'out_of_credits',
  403: 'billing_blocked',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  500: 'internal_error',
}

function error(status: number): FakeReply {
  const code = codes[status] ?? 'internal_error'
  const headers: Record<string, string> = status === 429 ? { 'retry-after': '7' } : {}
  if (failures[code].body === 'text')
    return { status, headers: { ...headers, 'content-type': 'text/plain' }, body: code }
  const problem = { type: 'about:blank', title: failures[code].title, status, detail: '', code, request_id: 'fake' }
  return { status, headers: { 'content-type': 'application/problem+json' }, body: problem }
}

const parts = {
  include_network_info: 'network_info',
  include_contact_info: 'contact_info',
  get_verification_details: 'verifications',
}

/** The optional parts of a person are null unless requested. */
function withParts(record: unknown, query: URLSearchParams): unknown {
  if (typeof record !== 'object' || record === null) return record
  const left = Object.entries(parts).filter(([flag]) => query.get(flag) !== 'true')
  return { ...record, ...Object.fromEntries(left.map(([, field]) => [field, null])) }
}

function named(request: FakeRequest, parameter: string): string | null {
  const given = request.query.get(parameter)
  return given === null ? null : (slugIn(given) ?? given)
}

/** A mirror: another service with Vitae's own contract. */
export const mirror: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'apikey', key),
  error,
  answer(request, world) {
    const headers = {
      'x-data-source': 'live',
      'x-fetched-at': new Date().toISOString().replace('Z', '+00:00'),
      'x-data-age-seconds': '0',
    }
    if (request.path === '/v1/people/profile') {
      const record = recordFor(world, 'people', named(request, 'profile_id'), contractPerson)
      return record === null ? error(404) : { status: 200, headers, body: withParts(record, request.query) }
    }
    if (request.path === '/v1/people/match') {
      const query = new URLSearchParams(
        Object.entries(JSON.parse(request.body) as Record<string, unknown>).map(
          ([name, value]) => [name, String(value)] as [string, string],
        ),
      )
      const slug = slugOfMatch(query)
      // Vitae's answer for an address that nobody has.
      const record = slug === 'sample-not-found' ? null : recordFor(world, 'people', slug, contractPerson)
      const on = query.has('email') ? 'email' : query.has('phone') ? 'phone' : 'name, company'
      if (record === null) return { ...error(404), body: { ...(error(404).body as object), code: 'no_match' } }
      const sure = { 'x-match-likelihood': '0.90', 'x-matched-on': on }
      return { status: 200, headers: { ...headers, ...sure }, body: withParts(record, query) }
    }
    const slug = named(request, 'company_id')
    const isKnown = request.path === '/v1/companies/details' && slug !== null
    const record = isKnown ? recordFor(world, 'companies', slugOf(slug), contractCompany) : null
    return record === null ? error(404) : { status: 200, headers, body: record }
  },
}
