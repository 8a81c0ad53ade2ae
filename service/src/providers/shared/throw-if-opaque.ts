import type { Identifier } from '../../foundation/identifier.ts'
import { UpstreamFault } from '../chain/provider-fault.ts'

/**
 * Throws for an opaque member id at a provider that knows people by slug alone. Its "not found" would be no answer to
 * the question, and would withdraw a stored copy that another provider brought.
 */
export function throwIfOpaque(provider: string, identifier: Identifier): void {
  if (identifier.type !== 'opaque') return
  throw new UpstreamFault('unavailable', `${provider} cannot look up an opaque member id`)
}
