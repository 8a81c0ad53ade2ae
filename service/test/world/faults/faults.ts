import type { Fault } from '../../simulation/faults/fault.ts'

/** Each must be found by the world. */
export const faults: readonly Fault[] = []
