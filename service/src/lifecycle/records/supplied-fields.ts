import type { Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import { findProjector } from '../../providers/contract-shape/find-projector.ts'

export type Supplied = 'supplied' | 'not_supplied'

/** Per field whether its provider can fill it at all: a field it cannot fill is "not supplied", which is not the same as empty on the profile. */
export function suppliedFields(kind: Kind, provider: string): Record<string, Supplied> {
  const supplies = findProjector(provider)?.supplies[kind] ?? everyField[kind]
  const fields = [...everyField[kind]].map((path) => [path, supplies.has(path) ? 'supplied' : 'not_supplied'] as const)
  return Object.fromEntries(fields)
}
