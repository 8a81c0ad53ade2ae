import { isDate, unwrapped, type Shape } from './schema-shape.ts'

/** Reads one value of a payload; throws `WrongType` when it is of another type than the contract's. */
export type Read = (value: unknown) => unknown

/** Names the field by its path in the contract, never by what stood there. */
export class WrongType extends Error {
  constructor(path: string) {
    super(`${path || 'the record'} is of the wrong type`)
    this.name = 'WrongType'
  }
}

const deepest = 32

/**
 * Turns a schema into a reader that gives every key of it, in its order, and no other. What is absent or null becomes
 * what the contract says for unknown; a value of the right type that is out of its range is unknown too.
 * It is compiled once, because it runs over every record that comes in.
 */
export function compileReader(schema: Shape, path = ''): Read {
  const { shape, isNullable } = unwrapped(schema)
  const read = readerOf(shape, path)
  if (isNullable) return (value) => (value === null || value === undefined ? null : read(value))
  const unknown = unknownOf(shape)
  return (value) => read(value ?? unknown())
}

function readerOf(shape: Shape, path: string): Read {
  if (isDate(shape)) return dateReader(shape, path)
  if (shape.type === 'object') return objectReader(shape, path)
  if (shape.type === 'array') return arrayReader(shape, path)
  if (shape.type === 'string') return textReader(shape, path)
  if (shape.type === 'boolean') return (value) => (typeof value === 'boolean' ? value : wrong(path))
  if (shape.type === 'integer' || shape.type === 'number') return numberReader(shape, path)
  return (value) => (depthOf(value) <= deepest ? value : wrong(path))
}

function unknownOf(shape: Shape): () => unknown {
  if (shape.type === 'object') return () => ({})
  if (shape.type === 'array') return () => []
  return () => (shape.type === 'boolean' ? false : shape.type === 'string' ? '' : null)
}

function objectReader(shape: Shape, path: string): Read {
  const fields = Object.entries(shape.properties ?? {}).map(([key, inner]) => {
    return { key, read: compileReader(inner, path ? `${path}.${key}` : key) }
  })
  return (value) => {
    const given = fieldsOf(value, path)
    const record: Record<string, unknown> = {}
    for (const { key, read } of fields) record[key] = read(given[key])
    return record
  }
}

function arrayReader(shape: Shape, path: string): Read {
  const item = compileReader(shape.items ?? {}, path)
  return (value) => {
    if (!Array.isArray(value)) return wrong(path)
    return value.filter((entry) => entry !== null).map((entry) => item(entry))
  }
}

/** A code in the wrong case is put right; what is no code at all is unknown. */
function textReader(shape: Shape, path: string): Read {
  const pattern = shape.pattern === undefined ? null : new RegExp(shape.pattern)
  return (value) => {
    if (typeof value !== 'string') return wrong(path)
    if (!pattern || pattern.test(value)) return value
    return [value.toUpperCase(), value.toLowerCase()].find((cased) => pattern.test(cased)) ?? null
  }
}

function numberReader(shape: Shape, path: string): (value: unknown) => number | null {
  const { minimum = -Infinity, maximum = Infinity } = shape
  return (value) => {
    if (typeof value !== 'number') return wrong(path)
    const isFit = shape.type === 'integer' ? Number.isInteger(value) : Number.isFinite(value)
    return isFit && value >= minimum && value <= maximum ? value : null
  }
}

/** A date without a year is null, and `iso` is written anew so that it is exactly as precise as the date. */
function dateReader(shape: Shape, path: string): Read {
  const { year: yearShape = {}, month: monthShape = {}, day: dayShape = {} } = shape.properties ?? {}
  const part = (inner: Shape, name: string): ((value: unknown) => number | null) => {
    const read = numberReader(unwrapped(inner).shape, `${path}.${name}`)
    return (value) => (value === null || value === undefined ? null : read(value))
  }
  const [readYear, readMonth, readDay] = [part(yearShape, 'year'), part(monthShape, 'month'), part(dayShape, 'day')]
  const hasIso = shape.properties !== undefined && 'iso' in shape.properties
  return (value) => {
    const given = fieldsOf(value, path)
    const [year, month, givenDay] = [readYear(given.year), readMonth(given.month), readDay(given.day)]
    if (year === null) return null
    const day = month === null ? null : givenDay
    return hasIso ? { year, month, day, iso: isoOf(year, month, day) } : { year, month, day }
  }
}

function isoOf(...parts: (number | null)[]): string {
  const known = parts.filter((part) => part !== null)
  return known.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0')).join('-')
}

function fieldsOf(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong(path)
  return value as Record<string, unknown>
}

/** How deep a free value nests; beyond the limit writing it out again would overflow the stack. */
function depthOf(value: unknown): number {
  let level = [value]
  let depth = 0
  while (level.length > 0 && depth <= deepest) {
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
    depth += 1
  }
  return depth
}

function wrong(path: string): never {
  throw new WrongType(path)
}
