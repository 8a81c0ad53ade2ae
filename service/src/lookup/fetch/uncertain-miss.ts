import { Failure } from '../../foundation/failure.ts'
import { ProviderFault } from '../../providers/chain/provider-fault.ts'

/** A 404 from a substitute while the provider before it is out: an old copy may stand in, but none is withdrawn. */
export class UncertainMiss extends ProviderFault {
  constructor() {
    super('unavailable', 'only a substitute could be asked, and it knows no such record')
  }
}

/** Whether a fetch ended in a 404, firm or not. */
export function isMiss(error: unknown): boolean {
  return error instanceof UncertainMiss || (error instanceof Failure && error.code === 'not_found')
}
