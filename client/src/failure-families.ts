import { VitaeError } from './vitae-error.ts'

/** 401: the key is missing, unknown, revoked or expired. */
export class VitaeAuthenticationError extends VitaeError {}

/** 402: no credits, or no more of them this month for this key. */
export class VitaePaymentError extends VitaeError {}

/** 403: the key is known but may not do this. */
export class VitaePermissionError extends VitaeError {}

/** 429: too many calls for now. */
export class VitaeThrottledError extends VitaeError {}

/** Any other 4xx: this request will not succeed as it is. */
export class VitaeRequestError extends VitaeError {}

/** Any 5xx. */
export class VitaeServerError extends VitaeError {}

/** The class for a failure whose code is not known here, by its status alone. */
export function familyOf(status: number): typeof VitaeError {
  if (status === 401) return VitaeAuthenticationError
  if (status === 402) return VitaePaymentError
  if (status === 403) return VitaePermissionError
  if (status === 429) return VitaeThrottledError
  if (status >= 500) return VitaeServerError
  return status >= 400 ? VitaeRequestError : VitaeUnusableAnswerError
}

/** The answer is not one of a Vitae service: a redirect, a page of a proxy, a record without its provenance. */
export class VitaeUnusableAnswerError extends VitaeError {}

/** The call could pass the client's `maxCredits`. Nothing was sent. */
export class VitaeMaxCreditsError extends VitaeError {
  declare readonly code: 'max_credits_reached'
}

/** No answer came: the connection was refused, reset or broken off. */
export class VitaeConnectionError extends VitaeError {
  declare readonly code: 'connection_failed'
}

/** The call, its retries included, took longer than `timeoutMs`. The cause is the last failure before, if any. */
export class VitaeTimeoutError extends VitaeError {
  declare readonly code: 'timed_out'
}

/** The caller's `signal` was aborted. The cause is the reason of the signal. */
export class VitaeAbortError extends VitaeError {
  declare readonly code: 'aborted'
}
