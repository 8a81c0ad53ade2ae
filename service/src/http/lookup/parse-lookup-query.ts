import type { Kind } from '@vitae/contract'
import { Failure } from '../../foundation/failure.ts'

/** The query of a lookup, read from its text; absent values are those a caller gets by saying nothing. */
export interface LookupQuery {
  id: string
  includeNetworkInfo: boolean
  includeContactInfo: boolean
  getVerificationDetails: boolean
  maxAgeDays: number | null
  bypassCache: boolean
}

const freshness = ['max_age_days', 'bypass_cache']
const personFlags = ['include_network_info', 'include_contact_info', 'get_verification_details']
const parameters: Record<Kind, { id: string; known: ReadonlySet<string> }> = {
  people: { id: 'profile_id', known: new Set(['profile_id', ...personFlags, ...freshness]) },
  companies: { id: 'company_id', known: new Set(['company_id', ...freshness]) },
}
/** In any case, because slugs are lower-cased. */
const apiKey = /^vt_(?:test|live)_[0-9a-z]{38}$/i
const decimal = /^\d{1,12}(\.\d{1,12})?$/

type Complaint = { parameter: string; detail: string }

/** Reads a query string. Unknown parameters are ignored; everything wrong about the known ones is reported together. */
export function parseLookupQuery(kind: Kind, search: string): LookupQuery {
  const { id: idName, known } = parameters[kind]
  const values = new Map<string, string>()
  const complaints: Complaint[] = []
  for (const [name, value] of new URLSearchParams(search)) {
    if (!known.has(name)) continue
    if (values.has(name)) complaints.push({ parameter: name, detail: 'is given more than once' })
    values.set(name, value)
  }
  const flag = (name: string) => readFlag(name, values.get(name), complaints)
  const query: LookupQuery = {
    id: readId(idName, values.get(idName), complaints),
    includeNetworkInfo: flag('include_network_info'),
    includeContactInfo: flag('include_contact_info'),
    getVerificationDetails: flag('get_verification_details'),
    maxAgeDays: readMaxAge(values.get('max_age_days'), complaints),
    bypassCache: flag('bypass_cache'),
  }
  if (complaints.length > 0) throw invalidRequest(complaints)
  return query
}

/** A 400 that names each parameter and what is wrong with it. */
export function invalidRequest(errors: Complaint[]): Failure {
  const detail = errors.map((error) => `${error.parameter} ${error.detail}`).join('; ')
  return new Failure('invalid_request', { detail: `${detail}.`, errors })
}

function readId(name: string, value: string | undefined, complaints: Complaint[]): string {
  if (value === undefined || value.trim() === '') complaints.push({ parameter: name, detail: 'is required' })
  else if (value.length > 4_096) complaints.push({ parameter: name, detail: 'is longer than 300 characters' })
  // By mistake in the wrong place it would travel on to the provider, and be kept as somebody's name.
  else if (apiKey.test(value))
    complaints.push({ parameter: name, detail: 'is an API key: send it as the ApiKey header' })
  return value ?? ''
}

function readFlag(name: string, value: string | undefined, complaints: Complaint[]): boolean {
  if (value !== undefined && value !== 'true' && value !== 'false')
    complaints.push({ parameter: name, detail: 'must be true or false' })
  return value === 'true'
}

function readMaxAge(value: string | undefined, complaints: Complaint[]): number | null {
  if (value === undefined) return null
  if (!decimal.test(value))
    complaints.push({ parameter: 'max_age_days', detail: 'must be a plain number of days such as 0, 0.5 or 7' })
  return Number(value)
}
