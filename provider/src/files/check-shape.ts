import Value from 'typebox/value'
import type { Place, SourceFile } from './read-yaml.ts'
import { ProviderFileSchema, type ProviderFile } from './schema.ts'

/** Checks the file against the schema. Throws the most informative fault. */
export function checkShape(source: SourceFile): ProviderFile {
  const { value } = source
  if (Value.Check(ProviderFileSchema, value)) return value
  const faults = Value.Errors(ProviderFileSchema, value).flatMap(({ instancePath, keyword, message, params }) => {
    const place = placeOf(instancePath, value)
    const named = (name: string) => [Reflect.get(params, name) ?? []].flat().map(String)
    const [[extra], [missing]] = [named('additionalProperties'), named('requiredProperties')]
    if (extra !== undefined) return { place: [...place, extra], what: `"${extra}" is not a key here`, rank: 2 }
    if (missing !== undefined) return { place, what: `"${missing}" is missing`, rank: 1 }
    const words = named('allowedValues').join(', ')
    const broken = keyword === 'pattern' ? 'this value has the wrong form' : `this ${message}`
    const what = words ? `this must be one of ${words}` : broken
    return keyword === 'boolean' ? [] : { place, what, rank: keyword === 'anyOf' ? 0 : 1 }
  })
  // In a union, the deepest fault is the most informative. An unknown name says more than a missing one.
  const [first] = faults.toSorted((a, b) => b.place.length - a.place.length || b.rank - a.rank)
  throw source.fault(first?.place ?? [], first?.what ?? 'this is not a provider file', { atKey: first?.rank === 2 })
}

/** Turns a JSON pointer into a place: list items by number, object members by name. */
function placeOf(pointer: string, root: unknown): Place {
  let value = root
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const key = Array.isArray(value) ? Number(name) : name
      value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
      return key
    })
}
