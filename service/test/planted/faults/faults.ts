import type { TestedFault } from '../tested-fault.ts'
import { batchFaults } from './batches-faults.ts'
import { callerFaults } from './callers-faults.ts'
import { limitFaults } from './limits-faults.ts'
import { moneyFaults } from './money-faults.ts'
import { plainFaults } from './plain-faults.ts'
import { privacyFaults } from './privacy-faults.ts'
import { providerFaults } from './providers-faults.ts'
import { recordFaults } from './records-faults.ts'
import { storeFaults } from './store-faults.ts'

/** Planted mistakes that the simulator cannot play. A test must notice each of them. */
export const testedFaults: readonly TestedFault[] = [
  ...moneyFaults,
  ...plainFaults,
  ...recordFaults,
  ...callerFaults,
  ...limitFaults,
  ...batchFaults,
  ...providerFaults,
  ...privacyFaults,
  ...storeFaults,
]
