import { Failure } from '../../foundation/failure.ts'
import { ProviderFault } from '@vitae/provider'

/**
 * No record was found, but without certainty: a substitute provider returned 404 while the preferred one is out, or no
 * provider accepts this key. An old copy may be served, and no copy is withdrawn.
 */
export class UncertainMiss extends ProviderFault {
  constructor() {
    super('unavailable', 'no authoritative provider could be asked')
  }
}

const misses: ReadonlySet<string> = new Set([
  'not_found',
  'required_fields_missing',
  'ambiguous_match',
  'identity_mismatch',
])

/** Whether a fetch found no record, certainly or not, or none with the required fields. */
export function isMiss(error: unknown): boolean {
  if (error instanceof Failure) return misses.has(error.code)
  return error instanceof UncertainMiss
}
