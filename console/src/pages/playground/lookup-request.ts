import type { Kind } from '@vitae/contract'

/** The form values of a lookup or a match. */
export interface LookupRequest {
  kind: Kind
  /** Lookup by identifier, or match by known details. */
  by: 'id' | 'match'
  id: string
  known: Record<string, string>
  minLikelihood: string
  network: boolean
  contact: boolean
  verifications: boolean
  maxAgeDays: string
  bypassCache: boolean
  onlyIfCached: boolean
  refuseStale: boolean
  idempotencyKey: string
}

export const firstRequest: LookupRequest = {
  kind: 'people',
  by: 'id',
  id: 'sample-complete',
  known: {},
  minLikelihood: '',
  network: false,
  contact: false,
  verifications: false,
  maxAgeDays: '',
  bypassCache: false,
  onlyIfCached: false,
  refuseStale: false,
  idempotencyKey: '',
}

/** Test-key identifiers, one for each situation that a caller must handle. */
export const sampleIds: Record<Kind, readonly string[]> = {
  people: [...bothSamples(), 'sample-promoted', 'sample-memorialized'],
  companies: [...bothSamples(), 'sample-showcase', 'sample-auto-generated', 'sample-funded'],
}

function bothSamples(): string[] {
  const situations =
    'complete sparse stored stale not-found out-of-credits ceiling-reached forbidden rate-limited upstream-down'
  return situations.split(' ').map((situation) => `sample-${situation}`)
}

/** The details that a match accepts, each with an example. */
export const knownMembers: Record<Kind, readonly (readonly [name: string, example: string])[]> = {
  people: [
    ['email', 'sample-complete@example.com'],
    ['phone', '+1 555 0100'],
    ['name', 'Ada Quill'],
    ['company', 'Tidewater Instruments'],
    ['company_domain', 'tidewater.example'],
  ],
  companies: [
    ['name', 'Tidewater Instruments'],
    ['domain', 'example.com'],
    ['country', 'NL'],
  ],
}

/** The match details that the user filled in. */
export function knownOf({ kind, known }: LookupRequest): Record<string, string> {
  const given = knownMembers[kind].map(([name]) => [name, (known[name] ?? '').trim()] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== ''))
}

/** The requested optional parts and freshness, under their API names. */
function optionsOf(request: LookupRequest): Record<string, true | number> {
  const people = request.kind === 'people'
  return {
    ...(people && request.network ? { include_network_info: true } : {}),
    ...(people && request.contact ? { include_contact_info: true } : {}),
    ...(people && request.verifications ? { get_verification_details: true } : {}),
    ...(request.maxAgeDays.trim() ? { max_age_days: Number(request.maxAgeDays) } : {}),
    ...(request.bypassCache ? { bypass_cache: true } : {}),
  }
}

/** The path and query of a request. Match details go into the body only, because proxies log URLs. */
export function lookupPath(request: LookupRequest): string {
  const people = request.kind === 'people'
  if (request.by === 'match') return `/v1/${request.kind}/match`
  const query = new URLSearchParams({ [people ? 'profile_id' : 'company_id']: request.id.trim() })
  for (const [name, value] of Object.entries(optionsOf(request))) query.set(name, String(value))
  return `${people ? '/v1/people/profile' : '/v1/companies/details'}?${query}`
}

/** The body of a match; null for a lookup. */
export function matchBody(request: LookupRequest): string | null {
  if (request.by === 'id') return null
  const least = request.minLikelihood.trim() ? { min_likelihood: Number(request.minLikelihood) } : {}
  return JSON.stringify({ ...knownOf(request), ...least, ...optionsOf(request) })
}

/** The request headers other than the key. */
export function lookupHeaders(request: LookupRequest): Record<string, string> {
  const cache = [
    ...(request.onlyIfCached ? ['only-if-cached'] : []),
    ...(request.refuseStale ? ['stale-if-error=0'] : []),
  ]
  return {
    ...(request.by === 'match' ? { 'Content-Type': 'application/json' } : {}),
    ...(request.idempotencyKey.trim() ? { 'Idempotency-Key': request.idempotencyKey.trim() } : {}),
    ...(cache.length > 0 ? { 'Cache-Control': cache.join(', ') } : {}),
  }
}
