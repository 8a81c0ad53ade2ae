import type { Kind } from '@vitae/contract'

/** A lookup as the form holds it. */
export interface LookupRequest {
  kind: Kind
  id: string
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
  id: 'sample-complete',
  network: false,
  contact: false,
  verifications: false,
  maxAgeDays: '',
  bypassCache: false,
  onlyIfCached: false,
  refuseStale: false,
  idempotencyKey: '',
}

/** Identifiers that produce the situations a caller must handle, with a test key. */
export const sampleIds: Record<Kind, readonly string[]> = {
  people: [...bothSamples(), 'sample-promoted', 'sample-memorialized'],
  companies: [...bothSamples(), 'sample-showcase', 'sample-auto-generated', 'sample-funded'],
}

function bothSamples(): string[] {
  const situations =
    'complete sparse stored stale not-found out-of-credits ceiling-reached forbidden rate-limited upstream-down'
  return situations.split(' ').map((situation) => `sample-${situation}`)
}

/** The path and query of the lookup. */
export function lookupPath(request: LookupRequest): string {
  const people = request.kind === 'people'
  const query = new URLSearchParams({ [people ? 'profile_id' : 'company_id']: request.id.trim() })
  if (people && request.network) query.set('include_network_info', 'true')
  if (people && request.contact) query.set('include_contact_info', 'true')
  if (people && request.verifications) query.set('get_verification_details', 'true')
  if (request.maxAgeDays.trim()) query.set('max_age_days', request.maxAgeDays.trim())
  if (request.bypassCache) query.set('bypass_cache', 'true')
  return `${people ? '/v1/people/profile' : '/v1/companies/details'}?${query}`
}

/** The request headers beside the key. */
export function lookupHeaders(request: LookupRequest): Record<string, string> {
  const cache = [
    ...(request.onlyIfCached ? ['only-if-cached'] : []),
    ...(request.refuseStale ? ['stale-if-error=0'] : []),
  ]
  return {
    ...(request.idempotencyKey.trim() ? { 'Idempotency-Key': request.idempotencyKey.trim() } : {}),
    ...(cache.length > 0 ? { 'Cache-Control': cache.join(', ') } : {}),
  }
}
