import { callerFailures, type CallerFailureCode } from '../failures.ts'
import type { PublicRow } from './row.ts'

/** Failures of every operation with a key: from the key check, HTTP or the service. */
const everywhere = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'project_suspended',
  'address_not_allowed',
  'rate_limit_exceeded',
  'invalid_request',
  'method_not_allowed',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'overloaded',
  'store_unavailable',
] as const

const ofBody = ['body_too_large', 'unsupported_media_type'] as const
export const ofPayment = [
  'credit_ceiling_reached',
  'out_of_credits',
  'billing_blocked',
  'request_in_progress',
  'idempotency_key_reused',
] as const
export const ofFetch = [
  'not_found',
  'upstream_allowance_exceeded',
  'client_closed_request',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
] as const
export const ofLookup = [...ofFetch, 'required_fields_missing', 'identity_mismatch', 'not_stored'] as const
export const ofMatch = [...ofLookup, 'no_match', 'ambiguous_match'] as const

/** Lists the possible failures of an operation, in the order of the failure table. */
export function failuresOf(row: PublicRow): CallerFailureCode[] {
  const { route, isOpen, kind, spends, isPaid } = row
  const possible = new Set<CallerFailureCode>([
    ...(isOpen ? [] : everywhere),
    ...(route.startsWith('GET ') ? [] : ofBody),
    ...(kind ? (['endpoint_not_allowed'] as const) : []),
    ...(spends ? (['billing_blocked'] as const) : []),
    ...(isPaid ? ofPayment : []),
    ...row.failures,
  ])
  return (Object.keys(callerFailures) as CallerFailureCode[]).filter((code) => possible.has(code))
}
