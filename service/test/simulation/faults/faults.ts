import { backgroundFaults } from './background-faults.ts'
import { clockFaults } from './clock-faults.ts'
import { deliveryFaults } from './delivery-faults.ts'
import { engineFaults } from './engine-faults.ts'
import type { Fault } from './fault.ts'
import { fillingFaults } from './filling-faults.ts'
import { namesFaults } from './names-faults.ts'
import { nodesFaults } from './nodes-faults.ts'
import { paymentsFaults } from './payments-faults.ts'
import { pricesFaults } from './prices-faults.ts'
import { recordsFaults } from './records-faults.ts'

/** Planted mistakes. The simulation must find each of them. */
export const faults: readonly Fault[] = [
  ...paymentsFaults,
  ...pricesFaults,
  ...recordsFaults,
  ...fillingFaults,
  ...namesFaults,
  ...backgroundFaults,
  ...deliveryFaults,
  ...nodesFaults,
  ...clockFaults,
  ...engineFaults,
]
