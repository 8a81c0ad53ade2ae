import { Failure } from '../../foundation/failure.ts'
import { ProviderFault } from '@vitae/provider'

/**
 * No record, but without certainty: a 404 from a substitute while the provider before it is out, or a key that no
 * provider can be asked by. An old copy may stand in, and none is withdrawn.
 */
export class UncertainMiss extends ProviderFault {
  constructor() {
    super('unavailable', 'no provider that knows for certain could be asked')
  }
}

const misses: ReadonlySet<string> = new Set([
  'not_found',
  'required_fields_missing',
  'ambiguous_match',
  'identity_mismatch',
])

/** Whether a fetch ended in a 404, firm or not, or found nothing that has what was required. */
export function isMiss(error: unknown): boolean {
  if (error instanceof Failure) return misses.has(error.code)
  return error instanceof UncertainMiss
}
