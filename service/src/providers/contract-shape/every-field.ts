import type { Supplies } from '@vitae/provider'
import { isDate, recordShapes, unwrapped, type Shape } from './schema-shape.ts'

/** A source in the contract's own shape supplies every field. */
export const everyField: Supplies = {
  people: new Set(pathsIn(recordShapes.people, '')),
  companies: new Set(pathsIn(recordShapes.companies, '')),
}

function pathsIn(nested: Shape, prefix: string): string[] {
  const { shape } = unwrapped(nested)
  if (shape.items) return pathsIn(shape.items, prefix)
  if (!shape.properties || isDate(shape)) return []
  return Object.entries(shape.properties).flatMap(([key, inner]) => [
    prefix + key,
    ...pathsIn(inner, `${prefix}${key}.`),
  ])
}
