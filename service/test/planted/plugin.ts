import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VitestPluginContext } from 'vitest/node'
import { planted } from '../simulation/faults/plant.ts'
import { testedFaults } from './faults/faults.ts'

const source = join(import.meta.dirname, '../../src')

/** Loads one source file with the fault that VITAE_PLANT names. The file stays unchanged, and no later run finds it in the cache. */
export function plantedFault() {
  return {
    name: 'planted-fault',
    enforce: 'pre' as const,
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext) {
      defineCacheKeyGenerator(({ id }) => (faultIn(id) ? false : null))
    },
    load(id: string) {
      const found = faultIn(id)
      return found && planted(found.fault, readFileSync(found.path, 'utf8'))
    },
  }
}

function faultIn(id: string) {
  const fault = testedFaults.find(({ name }) => name === process.env['VITAE_PLANT'])
  const path = join(source, fault?.file ?? '')
  return fault && id.split('?')[0] === path ? { fault, path } : null
}
