import { Failure } from '../../foundation/failure.ts'
import { ChainFault } from './chain-answer.ts'
import type { ProviderFault } from '@vitae/provider'

const defaultRetryAfterSeconds = 5

/** The message at start-up, in the doctor and for live calls if no provider is configured. */
export const noProvider =
  'No provider is configured: set VITAE_UPSTREAM to yours, or to "directory" for the bundled fictional records'

/** The failure of a call that no stored copy can answer. The provider's own words go to the operator only. */
export function faultToFailure(fault: ProviderFault): Failure {
  if (fault.kind === 'invalid') return new Failure('upstream_invalid', { cause: fault })
  if (fault.kind === 'timeout') return new Failure('upstream_timeout', { cause: fault })
  return new Failure('upstream_unavailable', {
    retryAfterSeconds: Math.max(1, fault.retryAfterSeconds ?? defaultRetryAfterSeconds),
    cause: fault,
    ...detailOf(fault),
  })
}

/** A detail that the caller can pass on to the operator. */
function detailOf(fault: ProviderFault): { detail?: string } {
  if (!(fault instanceof ChainFault)) return {}
  if (fault.isCapped) return { detail: 'The remaining providers cost more than the operator allows for one call.' }
  if (fault.attempts.length > 0) return {}
  const { route } = fault
  if (route === null) return { detail: `${noProvider}.` }
  return {
    detail: `This environment may use only ${route.join(', ')}, and none of them is configured. Ask the operator.`,
  }
}
