/** Plants the fault that VITAE_PLANT names in a process or thread of a test. */
import { plant } from '../simulation/faults/plant.ts'
import { testedFaults } from './faults/faults.ts'

const name = process.env['VITAE_PLANT']
if (name) plant(name, testedFaults)
