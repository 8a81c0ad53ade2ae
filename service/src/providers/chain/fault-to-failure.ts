import { Failure } from '../../foundation/failure.ts'
import type { ProviderFault } from './provider-fault.ts'

const defaultRetryAfterSeconds = 5

/** The end of a call for which no stored copy may stand in. What the provider said stays with the operator. */
export function faultToFailure(fault: ProviderFault): Failure {
  if (fault.kind === 'invalid') return new Failure('upstream_invalid', { cause: fault })
  if (fault.kind === 'timeout') return new Failure('upstream_timeout', { cause: fault })
  return new Failure('upstream_unavailable', {
    retryAfterSeconds: Math.max(1, fault.retryAfterSeconds ?? defaultRetryAfterSeconds),
    cause: fault,
  })
}
