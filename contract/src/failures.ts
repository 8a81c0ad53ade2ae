import Type, { type Static } from 'typebox'

/**
 * Every failure of the public API. `text` bodies are exactly the code, so that even the simplest client can read a key
 * rejection; all others are RFC 9457 problems. Failures are never billed.
 */
export const failures = {
  missing_api_key: { status: 401, body: 'text', title: 'The ApiKey header is missing', retryable: false },
  invalid_api_key: { status: 401, body: 'text', title: 'The API key is not valid', retryable: false },
  revoked_api_key: { status: 401, body: 'text', title: 'The API key was revoked', retryable: false },
  expired_api_key: { status: 401, body: 'text', title: 'The API key has expired', retryable: false },
  credit_ceiling_reached: {
    status: 402,
    body: 'text',
    title: "The key's credit ceiling of the day or month is reached",
    retryable: false,
  },
  out_of_credits: {
    status: 402,
    body: 'text',
    title: 'The environment has no credits left, or its monthly budget is spent',
    retryable: false,
  },
  project_suspended: { status: 403, body: 'text', title: 'The project is suspended', retryable: false },
  billing_blocked: { status: 403, body: 'text', title: 'Billing of the project is blocked', retryable: false },
  endpoint_not_allowed: { status: 403, body: 'text', title: 'The key may not use this endpoint', retryable: false },
  part_not_allowed: {
    status: 403,
    body: 'text',
    title: 'The key may not ask for this part of a record',
    retryable: false,
  },
  address_not_allowed: {
    status: 403,
    body: 'text',
    title: 'The key may not be used from this address',
    retryable: false,
  },
  rate_limit_exceeded: { status: 429, body: 'text', title: 'Too many calls', retryable: true },
  upstream_allowance_exceeded: {
    status: 429,
    body: 'text',
    title: 'Too many lookups of unknown records',
    retryable: true,
  },
  invalid_request: { status: 400, body: 'problem', title: 'The request is not valid', retryable: false },
  not_found: { status: 404, body: 'problem', title: 'No such record', retryable: false },
  required_fields_missing: {
    status: 404,
    body: 'problem',
    title: 'No provider has what the call requires',
    retryable: false,
  },
  no_match: { status: 404, body: 'problem', title: 'Nobody matches with enough certainty', retryable: false },
  ambiguous_match: { status: 404, body: 'problem', title: 'More than one record matches', retryable: false },
  identity_mismatch: {
    status: 404,
    body: 'problem',
    title: 'The record contradicts what the call expected',
    retryable: false,
  },
  route_not_found: { status: 404, body: 'problem', title: 'No such route', retryable: false },
  method_not_allowed: { status: 405, body: 'problem', title: 'Method not allowed', retryable: false },
  request_in_progress: {
    status: 409,
    body: 'problem',
    title: 'A call with this Idempotency-Key is still running',
    retryable: true,
  },
  too_many_batches: {
    status: 409,
    body: 'problem',
    title: 'The environment has too many unfinished batches',
    retryable: false,
  },
  body_too_large: { status: 413, body: 'problem', title: 'The request body is too large', retryable: false },
  uri_too_long: { status: 414, body: 'problem', title: 'The URL is too long', retryable: false },
  unsupported_media_type: {
    status: 415,
    body: 'problem',
    title: 'The content type of the request body is not supported',
    retryable: false,
  },
  idempotency_key_reused: {
    status: 422,
    body: 'problem',
    title: 'The Idempotency-Key was used for another request',
    retryable: false,
  },
  headers_too_large: { status: 431, body: 'problem', title: 'The request headers are too large', retryable: false },
  client_closed_request: {
    status: 499,
    body: 'problem',
    title: 'The caller closed the connection before the record arrived',
    retryable: true,
  },
  internal_error: { status: 500, body: 'problem', title: 'Internal error', retryable: true },
  upstream_invalid: {
    status: 502,
    body: 'problem',
    title: 'The data provider returned an unusable answer',
    retryable: true,
  },
  upstream_unavailable: {
    status: 503,
    body: 'problem',
    title: 'The data provider cannot be used now',
    retryable: true,
  },
  overloaded: { status: 503, body: 'problem', title: 'The service is overloaded', retryable: true },
  store_unavailable: { status: 503, body: 'problem', title: 'The store cannot be reached', retryable: true },
  upstream_timeout: {
    status: 504,
    body: 'problem',
    title: 'The data provider did not answer in time',
    retryable: true,
  },
  not_stored: {
    status: 504,
    body: 'problem',
    title: 'The store has no copy that satisfies the request',
    retryable: false,
  },
} as const satisfies Record<string, { status: number; body: 'text' | 'problem'; title: string; retryable: boolean }>

export type FailureCode = keyof typeof failures

/** Further failures of the admin API, all as problems: its clients are the operator's programs and people. */
export const adminFailures = {
  admin_token_required: { status: 401, body: 'problem', title: 'An admin token is required', retryable: false },
  admin_role_too_low: { status: 403, body: 'problem', title: 'The admin token may not do this', retryable: false },
  csrf_token_required: { status: 403, body: 'problem', title: 'The CSRF token is missing or wrong', retryable: false },
  too_many_logins: { status: 429, body: 'problem', title: 'Too many failed sign-ins', retryable: true },
  conflict: { status: 409, body: 'problem', title: 'The change conflicts with the current state', retryable: false },
} as const satisfies Record<string, { status: number; body: 'text' | 'problem'; title: string; retryable: boolean }>

export type AdminFailureCode = keyof typeof adminFailures

/** Failures of public operations. The limit on watches is the only one shared with the admin API. */
export const callerFailures = { ...failures, conflict: adminFailures.conflict }
export type CallerFailureCode = keyof typeof callerFailures

/** The `type` of a problem: a link to the failures page of the same service. */
export function problemType(code: FailureCode | AdminFailureCode): string {
  return `/docs/failures#${code}`
}

/** An RFC 9457 problem. `errors` lists each wrong parameter of a 400. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    request_id: Type.String(),
    hint: Type.Optional(Type.String({ description: 'The command that helps, as a sentence.' })),
    errors: Type.Optional(Type.Array(Type.Object({ parameter: Type.String(), detail: Type.String() }))),
  },
  { description: 'RFC 9457 problem.' },
)
export type Problem = Static<typeof Problem>
