import { Company, Person, type Kind } from '@vitae/contract'

/** The parts of JSON Schema that the contract's records use. */
export interface Shape {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
  pattern?: string
  minimum?: number
  maximum?: number
}

/** The schemas of the two records, as data. */
export const recordShapes: Record<Kind, Shape> = { people: Person as Shape, companies: Company }

/** The shape under a nullable one, and whether it was nullable. */
export function unwrapped(shape: Shape): { shape: Shape; isNullable: boolean } {
  const inner = shape.anyOf?.find((option) => option.type !== 'null')
  return inner ? { shape: inner, isNullable: true } : { shape, isNullable: false }
}

/** Whether a shape is a period. */
export function isPeriod(shape: Shape): boolean {
  return shape.properties !== undefined && isDate(unwrapped(shape.properties['end'] ?? {}).shape)
}

/** Whether a shape is a date, of either form. */
export function isDate(shape: Shape): boolean {
  return shape.properties !== undefined && 'year' in shape.properties
}
