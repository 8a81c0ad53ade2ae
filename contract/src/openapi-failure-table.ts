import { adminFailures, failures, type FailureCode } from './failures.ts'

/** What a route for callers can fail with: a limit on watches is the one answer that it shares with the admin API. */
export const callerFailures = { ...failures, conflict: adminFailures.conflict }
export type CallerFailureCode = FailureCode | 'conflict'

/** Every route can end so: they come of the key, of HTTP itself or of the service. */
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
const ofKind = ['endpoint_not_allowed'] as const
const ofPerson = ['endpoint_not_allowed', 'part_not_allowed'] as const
const ofPayment = [
  'credit_ceiling_reached',
  'out_of_credits',
  'billing_blocked',
  'request_in_progress',
  'idempotency_key_reused',
] as const
const ofFetch = [
  'not_found',
  'upstream_allowance_exceeded',
  'client_closed_request',
  'upstream_invalid',
  'upstream_unavailable',
  'upstream_timeout',
] as const
const ofLookup = [...ofPayment, ...ofFetch, 'required_fields_missing', 'identity_mismatch', 'not_stored'] as const
const ofMatch = [...ofBody, ...ofLookup, 'no_match', 'ambiguous_match'] as const
const ofBatch = [...ofPerson, 'not_found'] as const

const ofHistory = [...ofKind, 'not_found', 'credit_ceiling_reached'] as const

const own = {
  getPersonProfile: [...ofPerson, ...ofLookup],
  getCompanyDetails: [...ofKind, ...ofLookup],
  getAccount: [],
  getUsage: [],
  getReceipt: [...ofKind, 'not_found'],
  getPersonHistory: ofHistory,
  getCompanyHistory: ofHistory,
  getPersonProvenance: ofHistory,
  getCompanyProvenance: ofHistory,
  preflightPersonProfile: ofPerson,
  preflightCompanyDetails: ofKind,
  matchPerson: [...ofPerson, ...ofMatch],
  matchCompany: [...ofKind, ...ofMatch],
  preflightPersonMatch: [...ofPerson, ...ofBody],
  resolveCompany: [...ofKind, ...ofPayment, ...ofFetch],
  createWatch: [...ofKind, ...ofMatch, 'billing_blocked', 'conflict'],
  listWatches: [],
  deleteWatch: [...ofKind, ...ofBody, 'not_found'],
  listEvents: [],
  submitBatch: [...ofPerson, ...ofBody, 'billing_blocked', 'too_many_batches', 'idempotency_key_reused'],
  previewBatch: [...ofPerson, ...ofBody],
  listBatches: ofBatch,
  getBatch: ofBatch,
  cancelBatch: [...ofBatch, ...ofBody],
  resumeBatch: [...ofBatch, ...ofBody, 'billing_blocked', 'credit_ceiling_reached'],
  getBatchResults: [...ofBatch, 'credit_ceiling_reached'],
} as const satisfies Record<string, readonly CallerFailureCode[]>

export type CallerOperationId = keyof typeof own

export const callerOperationIds = Object.keys(own) as CallerOperationId[]

/** What an operation can fail with, in the order of the table of failures. */
export function failuresOf(operation: CallerOperationId): CallerFailureCode[] {
  const possible = new Set<CallerFailureCode>([...everywhere, ...own[operation]])
  return (Object.keys(callerFailures) as CallerFailureCode[]).filter((code) => possible.has(code))
}
