import { VitaeError } from './vitae-error.ts'

/** 401: the key is missing, unknown, revoked or expired. */
export class VitaeAuthenticationError extends VitaeError {}

/** 402: no credits left, or the key's ceiling is reached. */
export class VitaePaymentError extends VitaeError {}

/** 403: the key is valid but not allowed to do this. */
export class VitaePermissionError extends VitaeError {}

/** 429: too many calls at the moment. */
export class VitaeThrottledError extends VitaeError {}

/** Any other 4xx: this request will not succeed without a change. */
export class VitaeRequestError extends VitaeError {}

/** Any 5xx. */
export class VitaeServerError extends VitaeError {}

/** The class for an unknown code, by its status. */
export function familyOf(status: number): typeof VitaeError {
  if (status === 401) return VitaeAuthenticationError
  if (status === 402) return VitaePaymentError
  if (status === 403) return VitaePermissionError
  if (status === 429) return VitaeThrottledError
  if (status >= 500) return VitaeServerError
  return status >= 400 ? VitaeRequestError : VitaeUnusableAnswerError
}

/** The response does not come from a Vitae service: a redirect, a proxy's error page, a record without provenance. */
export class VitaeUnusableAnswerError extends VitaeError {}

/** The call could exceed the client's `maxCredits`. Nothing was sent. */
export class VitaeMaxCreditsError extends VitaeError {
  declare readonly code: 'max_credits_reached'
}

/** No response: the connection was refused, reset or interrupted. */
export class VitaeConnectionError extends VitaeError {
  declare readonly code: 'connection_failed'
}

/** The call with its retries took longer than `timeoutMs`. The cause is the last failure before that, if any. */
export class VitaeTimeoutError extends VitaeError {
  declare readonly code: 'timed_out'
}

/** The caller's `signal` was aborted. The cause is the signal's reason. */
export class VitaeAbortError extends VitaeError {
  declare readonly code: 'aborted'
}
