import type { Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import { findProjector } from '../../providers/contract-shape/find-projector.ts'

export type Supplied = 'supplied' | 'not_supplied'

/** Per field whether its provider can fill it at all: what it cannot is "not supplied", and not "empty on the profile". */
export function suppliedFields(kind: Kind, provider: string): Record<string, Supplied> {
  const supplies = findProjector(provider)?.supplies[kind] ?? everyField[kind]
  const fields = [...everyField[kind]].map((path) => [path, supplies.has(path) ? 'supplied' : 'not_supplied'] as const)
  return Object.fromEntries(fields)
}
