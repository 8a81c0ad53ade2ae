# Generated from the contract by scripts/generate-python-types.ts. Do not edit.
"""One class per failure that the service names."""

from __future__ import annotations

from typing import Dict, NamedTuple, Type

from ._errors import (
    VitaeAuthenticationError,
    VitaePaymentError,
    VitaePermissionError,
    VitaeRequestError,
    VitaeServerError,
    VitaeThrottledError,
    VitaeError,
)

class VitaeMissingApiKeyError(VitaeAuthenticationError):
    """401 missing_api_key: The ApiKey header is missing."""

class VitaeInvalidApiKeyError(VitaeAuthenticationError):
    """401 invalid_api_key: The API key is not valid."""

class VitaeRevokedApiKeyError(VitaeAuthenticationError):
    """401 revoked_api_key: The API key was revoked."""

class VitaeExpiredApiKeyError(VitaeAuthenticationError):
    """401 expired_api_key: The API key has expired."""

class VitaeCreditCeilingReachedError(VitaePaymentError):
    """402 credit_ceiling_reached: The key's credit ceiling of the day or month is reached."""

class VitaeOutOfCreditsError(VitaePaymentError):
    """402 out_of_credits: The environment has no credits left, or its monthly budget is spent."""

class VitaeProjectSuspendedError(VitaePermissionError):
    """403 project_suspended: The project is suspended."""

class VitaeBillingBlockedError(VitaePermissionError):
    """403 billing_blocked: Billing of the project is blocked."""

class VitaeEndpointNotAllowedError(VitaePermissionError):
    """403 endpoint_not_allowed: The key may not use this endpoint."""

class VitaePartNotAllowedError(VitaePermissionError):
    """403 part_not_allowed: The key may not ask for this part of a record."""

class VitaeAddressNotAllowedError(VitaePermissionError):
    """403 address_not_allowed: The key may not be used from this address."""

class VitaeRateLimitExceededError(VitaeThrottledError):
    """429 rate_limit_exceeded: Too many calls."""

class VitaeUpstreamAllowanceExceededError(VitaeThrottledError):
    """429 upstream_allowance_exceeded: Too many lookups of unknown records."""

class VitaeInvalidRequestError(VitaeRequestError):
    """400 invalid_request: The request is not valid."""

class VitaeNotFoundError(VitaeRequestError):
    """404 not_found: No such record."""

class VitaeRequiredFieldsMissingError(VitaeRequestError):
    """404 required_fields_missing: No provider has what the call requires."""

class VitaeNoMatchError(VitaeRequestError):
    """404 no_match: Nobody matches with enough certainty."""

class VitaeAmbiguousMatchError(VitaeRequestError):
    """404 ambiguous_match: More than one record matches."""

class VitaeIdentityMismatchError(VitaeRequestError):
    """404 identity_mismatch: The record contradicts what the call expected."""

class VitaeRouteNotFoundError(VitaeRequestError):
    """404 route_not_found: No such route."""

class VitaeMethodNotAllowedError(VitaeRequestError):
    """405 method_not_allowed: Method not allowed."""

class VitaeRequestInProgressError(VitaeRequestError):
    """409 request_in_progress: A call with this Idempotency-Key is still running."""

class VitaeTooManyBatchesError(VitaeRequestError):
    """409 too_many_batches: The environment has too many unfinished batches."""

class VitaeBodyTooLargeError(VitaeRequestError):
    """413 body_too_large: The request body is too large."""

class VitaeUriTooLongError(VitaeRequestError):
    """414 uri_too_long: The URL is too long."""

class VitaeUnsupportedMediaTypeError(VitaeRequestError):
    """415 unsupported_media_type: The content type of the request body is not supported."""

class VitaeIdempotencyKeyReusedError(VitaeRequestError):
    """422 idempotency_key_reused: The Idempotency-Key was used for another request."""

class VitaeHeadersTooLargeError(VitaeRequestError):
    """431 headers_too_large: The request headers are too large."""

class VitaeClientClosedRequestError(VitaeRequestError):
    """499 client_closed_request: The caller closed the connection before the record arrived."""

class VitaeInternalError(VitaeServerError):
    """500 internal_error: Internal error."""

class VitaeUpstreamInvalidError(VitaeServerError):
    """502 upstream_invalid: The data provider returned an unusable answer."""

class VitaeUpstreamUnavailableError(VitaeServerError):
    """503 upstream_unavailable: The data provider cannot be used now."""

class VitaeOverloadedError(VitaeServerError):
    """503 overloaded: The service is overloaded."""

class VitaeStoreUnavailableError(VitaeServerError):
    """503 store_unavailable: The store cannot be reached."""

class VitaeUpstreamTimeoutError(VitaeServerError):
    """504 upstream_timeout: The data provider did not answer in time."""

class VitaeNotStoredError(VitaeServerError):
    """504 not_stored: The store has no copy that satisfies the request."""

class Known(NamedTuple):
    """A failure of the contract."""

    error: Type[VitaeError]
    status: int
    title: str
    retryable: bool

FAILURES: Dict[str, Known] = {
    "missing_api_key": Known(VitaeMissingApiKeyError, 401, "The ApiKey header is missing", False),
    "invalid_api_key": Known(VitaeInvalidApiKeyError, 401, "The API key is not valid", False),
    "revoked_api_key": Known(VitaeRevokedApiKeyError, 401, "The API key was revoked", False),
    "expired_api_key": Known(VitaeExpiredApiKeyError, 401, "The API key has expired", False),
    "credit_ceiling_reached": Known(VitaeCreditCeilingReachedError, 402, "The key's credit ceiling of the day or month is reached", False),
    "out_of_credits": Known(VitaeOutOfCreditsError, 402, "The environment has no credits left, or its monthly budget is spent", False),
    "project_suspended": Known(VitaeProjectSuspendedError, 403, "The project is suspended", False),
    "billing_blocked": Known(VitaeBillingBlockedError, 403, "Billing of the project is blocked", False),
    "endpoint_not_allowed": Known(VitaeEndpointNotAllowedError, 403, "The key may not use this endpoint", False),
    "part_not_allowed": Known(VitaePartNotAllowedError, 403, "The key may not ask for this part of a record", False),
    "address_not_allowed": Known(VitaeAddressNotAllowedError, 403, "The key may not be used from this address", False),
    "rate_limit_exceeded": Known(VitaeRateLimitExceededError, 429, "Too many calls", True),
    "upstream_allowance_exceeded": Known(VitaeUpstreamAllowanceExceededError, 429, "Too many lookups of unknown records", True),
    "invalid_request": Known(VitaeInvalidRequestError, 400, "The request is not valid", False),
    "not_found": Known(VitaeNotFoundError, 404, "No such record", False),
    "required_fields_missing": Known(VitaeRequiredFieldsMissingError, 404, "No provider has what the call requires", False),
    "no_match": Known(VitaeNoMatchError, 404, "Nobody matches with enough certainty", False),
    "ambiguous_match": Known(VitaeAmbiguousMatchError, 404, "More than one record matches", False),
    "identity_mismatch": Known(VitaeIdentityMismatchError, 404, "The record contradicts what the call expected", False),
    "route_not_found": Known(VitaeRouteNotFoundError, 404, "No such route", False),
    "method_not_allowed": Known(VitaeMethodNotAllowedError, 405, "Method not allowed", False),
    "request_in_progress": Known(VitaeRequestInProgressError, 409, "A call with this Idempotency-Key is still running", True),
    "too_many_batches": Known(VitaeTooManyBatchesError, 409, "The environment has too many unfinished batches", False),
    "body_too_large": Known(VitaeBodyTooLargeError, 413, "The request body is too large", False),
    "uri_too_long": Known(VitaeUriTooLongError, 414, "The URL is too long", False),
    "unsupported_media_type": Known(VitaeUnsupportedMediaTypeError, 415, "The content type of the request body is not supported", False),
    "idempotency_key_reused": Known(VitaeIdempotencyKeyReusedError, 422, "The Idempotency-Key was used for another request", False),
    "headers_too_large": Known(VitaeHeadersTooLargeError, 431, "The request headers are too large", False),
    "client_closed_request": Known(VitaeClientClosedRequestError, 499, "The caller closed the connection before the record arrived", True),
    "internal_error": Known(VitaeInternalError, 500, "Internal error", True),
    "upstream_invalid": Known(VitaeUpstreamInvalidError, 502, "The data provider returned an unusable answer", True),
    "upstream_unavailable": Known(VitaeUpstreamUnavailableError, 503, "The data provider cannot be used now", True),
    "overloaded": Known(VitaeOverloadedError, 503, "The service is overloaded", True),
    "store_unavailable": Known(VitaeStoreUnavailableError, 503, "The store cannot be reached", True),
    "upstream_timeout": Known(VitaeUpstreamTimeoutError, 504, "The data provider did not answer in time", True),
    "not_stored": Known(VitaeNotStoredError, 504, "The store has no copy that satisfies the request", False),
}
