import { Failure } from '../../foundation/failure.ts'
import { ChainFault } from './chain-answer.ts'
import type { ProviderFault } from '@vitae/provider'

const defaultRetryAfterSeconds = 5

/** What the start, the doctor and every live call that needs a provider say where none is configured. */
export const noProvider =
  'No provider is configured: set VITAE_UPSTREAM to yours, or to "directory" for the bundled fictional records'

/** The end of a call for which no stored copy may stand in. What the provider said stays with the operator. */
export function faultToFailure(fault: ProviderFault): Failure {
  if (fault.kind === 'invalid') return new Failure('upstream_invalid', { cause: fault })
  if (fault.kind === 'timeout') return new Failure('upstream_timeout', { cause: fault })
  return new Failure('upstream_unavailable', {
    retryAfterSeconds: Math.max(1, fault.retryAfterSeconds ?? defaultRetryAfterSeconds),
    cause: fault,
    ...detailOf(fault),
  })
}

/** What the caller can do nothing about, said so that the operator is asked about the right thing. */
function detailOf(fault: ProviderFault): { detail?: string } {
  if (!(fault instanceof ChainFault)) return {}
  if (fault.isCapped) return { detail: 'The providers that are left cost more than the operator allows for one call.' }
  if (fault.attempts.length > 0) return {}
  const { route } = fault
  if (route === null) return { detail: `${noProvider}.` }
  return {
    detail: `This environment may be answered by ${route.join(', ')} alone, and none of them is configured.`,
  }
}
