import type { Kind } from '@vitae/contract'
import { everyField } from '../../providers/contract-shape/every-field.ts'
import { findProjector } from '../../providers/contract-shape/find-projector.ts'

export type Supplied = 'supplied' | 'not_supplied'

/** Per field whether its provider can fill it at all: a field it cannot fill is "not supplied", which is not the same as empty on the profile. */
export function suppliedFields(kind: Kind, provider: string): Record<string, Supplied> {
  const supplies = findProjector(provider)?.supplies[kind] ?? everyField[kind]
  const fields = [...everyField[kind]].map((path) => {
    return [path, isSupplied(supplies, path) ? 'supplied' : 'not_supplied'] as const
  })
  return Object.fromEntries(fields)
}

/** A part is supplied with any field in it; and all fields in a part are, where the provider names the part alone. */
function isSupplied(supplies: ReadonlySet<string>, path: string): boolean {
  if (supplies.has(path) || hasFieldsOf(supplies, path)) return true
  const part = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return part !== '' && !hasFieldsOf(supplies, part) && isSupplied(supplies, part)
}

function hasFieldsOf(supplies: ReadonlySet<string>, part: string): boolean {
  for (const path of supplies) if (path.startsWith(`${part}.`)) return true
  return false
}
