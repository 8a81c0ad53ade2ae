import type { TestedFault } from '../tested-fault.ts'
import { moneyFaults } from './money-faults.ts'
import { plainFaults } from './plain-faults.ts'
import { recordFaults } from './records-faults.ts'

/** Planted mistakes that the simulator cannot play. A test must notice each of them. */
export const testedFaults: readonly TestedFault[] = [...moneyFaults, ...plainFaults, ...recordFaults]
