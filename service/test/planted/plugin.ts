import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planted } from '../simulation/faults/plant.ts'
import { testedFaults } from './faults/faults.ts'

const source = join(import.meta.dirname, '../../src')

/** Loads one source file with the fault that VITAE_PLANT names. The file stays unchanged. */
export function plantedFault() {
  return {
    name: 'planted-fault',
    enforce: 'pre' as const,
    load(id: string) {
      const fault = testedFaults.find(({ name }) => name === process.env['VITAE_PLANT'])
      if (!fault) return null
      const path = join(source, fault.file)
      return id.split('?')[0] === path ? planted(fault, readFileSync(path, 'utf8')) : null
    },
  }
}
