// Generated from the contract by scripts/generate-client-types.ts. Do not edit.

import type { FailureCode } from '../contract.generated.ts'
import {
  VitaeAuthenticationError,
  VitaePaymentError,
  VitaePermissionError,
  VitaeRequestError,
  VitaeServerError,
  VitaeThrottledError,
} from './failure-families.ts'

/** 401 `missing_api_key`: The ApiKey header is missing. Not retried. */
export class VitaeMissingApiKeyError extends VitaeAuthenticationError {
  declare readonly code: 'missing_api_key'
}

/** 401 `invalid_api_key`: The API key is not valid. Not retried. */
export class VitaeInvalidApiKeyError extends VitaeAuthenticationError {
  declare readonly code: 'invalid_api_key'
}

/** 401 `revoked_api_key`: The API key was revoked. Not retried. */
export class VitaeRevokedApiKeyError extends VitaeAuthenticationError {
  declare readonly code: 'revoked_api_key'
}

/** 401 `expired_api_key`: The API key has expired. Not retried. */
export class VitaeExpiredApiKeyError extends VitaeAuthenticationError {
  declare readonly code: 'expired_api_key'
}

/** 402 `credit_ceiling_reached`: The key's credit ceiling of the day or month is reached. Not retried. */
export class VitaeCreditCeilingReachedError extends VitaePaymentError {
  declare readonly code: 'credit_ceiling_reached'
}

/** 402 `out_of_credits`: The environment has no credits left, or its monthly budget is spent. Not retried. */
export class VitaeOutOfCreditsError extends VitaePaymentError {
  declare readonly code: 'out_of_credits'
}

/** 403 `project_suspended`: The project is suspended. Not retried. */
export class VitaeProjectSuspendedError extends VitaePermissionError {
  declare readonly code: 'project_suspended'
}

/** 403 `billing_blocked`: Billing of the project is blocked. Not retried. */
export class VitaeBillingBlockedError extends VitaePermissionError {
  declare readonly code: 'billing_blocked'
}

/** 403 `endpoint_not_allowed`: The key may not use this endpoint. Not retried. */
export class VitaeEndpointNotAllowedError extends VitaePermissionError {
  declare readonly code: 'endpoint_not_allowed'
}

/** 403 `part_not_allowed`: The key may not ask for this part of a record. Not retried. */
export class VitaePartNotAllowedError extends VitaePermissionError {
  declare readonly code: 'part_not_allowed'
}

/** 403 `address_not_allowed`: The key may not be used from this address. Not retried. */
export class VitaeAddressNotAllowedError extends VitaePermissionError {
  declare readonly code: 'address_not_allowed'
}

/** 429 `rate_limit_exceeded`: Too many calls. Retried. */
export class VitaeRateLimitExceededError extends VitaeThrottledError {
  declare readonly code: 'rate_limit_exceeded'
}

/** 429 `upstream_allowance_exceeded`: Too many lookups of unknown records. Retried. */
export class VitaeUpstreamAllowanceExceededError extends VitaeThrottledError {
  declare readonly code: 'upstream_allowance_exceeded'
}

/** 400 `invalid_request`: The request is not valid. Not retried. */
export class VitaeInvalidRequestError extends VitaeRequestError {
  declare readonly code: 'invalid_request'
}

/** 404 `not_found`: No such record. Not retried. */
export class VitaeNotFoundError extends VitaeRequestError {
  declare readonly code: 'not_found'
}

/** 404 `required_fields_missing`: No provider has what the call requires. Not retried. */
export class VitaeRequiredFieldsMissingError extends VitaeRequestError {
  declare readonly code: 'required_fields_missing'
}

/** 404 `no_match`: Nobody matches with enough certainty. Not retried. */
export class VitaeNoMatchError extends VitaeRequestError {
  declare readonly code: 'no_match'
}

/** 404 `ambiguous_match`: More than one record matches. Not retried. */
export class VitaeAmbiguousMatchError extends VitaeRequestError {
  declare readonly code: 'ambiguous_match'
}

/** 404 `identity_mismatch`: The record contradicts what the call expected. Not retried. */
export class VitaeIdentityMismatchError extends VitaeRequestError {
  declare readonly code: 'identity_mismatch'
}

/** 404 `route_not_found`: No such route. Not retried. */
export class VitaeRouteNotFoundError extends VitaeRequestError {
  declare readonly code: 'route_not_found'
}

/** 405 `method_not_allowed`: Method not allowed. Not retried. */
export class VitaeMethodNotAllowedError extends VitaeRequestError {
  declare readonly code: 'method_not_allowed'
}

/** 409 `request_in_progress`: A call with this Idempotency-Key is still running. Retried. */
export class VitaeRequestInProgressError extends VitaeRequestError {
  declare readonly code: 'request_in_progress'
}

/** 409 `too_many_batches`: The environment has too many unfinished batches. Not retried. */
export class VitaeTooManyBatchesError extends VitaeRequestError {
  declare readonly code: 'too_many_batches'
}

/** 413 `body_too_large`: The request body is too large. Not retried. */
export class VitaeBodyTooLargeError extends VitaeRequestError {
  declare readonly code: 'body_too_large'
}

/** 414 `uri_too_long`: The URL is too long. Not retried. */
export class VitaeUriTooLongError extends VitaeRequestError {
  declare readonly code: 'uri_too_long'
}

/** 415 `unsupported_media_type`: The content type of the request body is not supported. Not retried. */
export class VitaeUnsupportedMediaTypeError extends VitaeRequestError {
  declare readonly code: 'unsupported_media_type'
}

/** 422 `idempotency_key_reused`: The Idempotency-Key was used for another request. Not retried. */
export class VitaeIdempotencyKeyReusedError extends VitaeRequestError {
  declare readonly code: 'idempotency_key_reused'
}

/** 431 `headers_too_large`: The request headers are too large. Not retried. */
export class VitaeHeadersTooLargeError extends VitaeRequestError {
  declare readonly code: 'headers_too_large'
}

/** 499 `client_closed_request`: The caller closed the connection before the record arrived. Retried. */
export class VitaeClientClosedRequestError extends VitaeRequestError {
  declare readonly code: 'client_closed_request'
}

/** 500 `internal_error`: Internal error. Retried. */
export class VitaeInternalError extends VitaeServerError {
  declare readonly code: 'internal_error'
}

/** 502 `upstream_invalid`: The data provider returned an unusable answer. Retried. */
export class VitaeUpstreamInvalidError extends VitaeServerError {
  declare readonly code: 'upstream_invalid'
}

/** 503 `upstream_unavailable`: The data provider cannot be used now. Retried. */
export class VitaeUpstreamUnavailableError extends VitaeServerError {
  declare readonly code: 'upstream_unavailable'
}

/** 503 `overloaded`: The service is overloaded. Retried. */
export class VitaeOverloadedError extends VitaeServerError {
  declare readonly code: 'overloaded'
}

/** 503 `store_unavailable`: The store cannot be reached. Retried. */
export class VitaeStoreUnavailableError extends VitaeServerError {
  declare readonly code: 'store_unavailable'
}

/** 504 `upstream_timeout`: The data provider did not answer in time. Retried. */
export class VitaeUpstreamTimeoutError extends VitaeServerError {
  declare readonly code: 'upstream_timeout'
}

/** 504 `not_stored`: The store has no copy that satisfies the request. Not retried. */
export class VitaeNotStoredError extends VitaeServerError {
  declare readonly code: 'not_stored'
}

/** The class of each failure the service names. */
export const failureErrors = {
  missing_api_key: VitaeMissingApiKeyError,
  invalid_api_key: VitaeInvalidApiKeyError,
  revoked_api_key: VitaeRevokedApiKeyError,
  expired_api_key: VitaeExpiredApiKeyError,
  credit_ceiling_reached: VitaeCreditCeilingReachedError,
  out_of_credits: VitaeOutOfCreditsError,
  project_suspended: VitaeProjectSuspendedError,
  billing_blocked: VitaeBillingBlockedError,
  endpoint_not_allowed: VitaeEndpointNotAllowedError,
  part_not_allowed: VitaePartNotAllowedError,
  address_not_allowed: VitaeAddressNotAllowedError,
  rate_limit_exceeded: VitaeRateLimitExceededError,
  upstream_allowance_exceeded: VitaeUpstreamAllowanceExceededError,
  invalid_request: VitaeInvalidRequestError,
  not_found: VitaeNotFoundError,
  required_fields_missing: VitaeRequiredFieldsMissingError,
  no_match: VitaeNoMatchError,
  ambiguous_match: VitaeAmbiguousMatchError,
  identity_mismatch: VitaeIdentityMismatchError,
  route_not_found: VitaeRouteNotFoundError,
  method_not_allowed: VitaeMethodNotAllowedError,
  request_in_progress: VitaeRequestInProgressError,
  too_many_batches: VitaeTooManyBatchesError,
  body_too_large: VitaeBodyTooLargeError,
  uri_too_long: VitaeUriTooLongError,
  unsupported_media_type: VitaeUnsupportedMediaTypeError,
  idempotency_key_reused: VitaeIdempotencyKeyReusedError,
  headers_too_large: VitaeHeadersTooLargeError,
  client_closed_request: VitaeClientClosedRequestError,
  internal_error: VitaeInternalError,
  upstream_invalid: VitaeUpstreamInvalidError,
  upstream_unavailable: VitaeUpstreamUnavailableError,
  overloaded: VitaeOverloadedError,
  store_unavailable: VitaeStoreUnavailableError,
  upstream_timeout: VitaeUpstreamTimeoutError,
  not_stored: VitaeNotStoredError,
} as const satisfies Record<FailureCode, unknown>
