import { dateRange, inOrder, integer, parsePartialDate, saysEnded, saysOngoing } from '@vitae/provider'
import type { DateRange } from '@vitae/contract'
import { isDate, isPeriod, unwrapped, type Shape } from './schema-shape.ts'

/** Called with the path of a field that cannot be read, never with its value. */
export type OnUnread = (path: string) => void

/** Reads one value of a payload; undefined if its type differs from the contract's. */
type Read = (value: unknown, unread: OnUnread) => unknown

const deepest = 32

/**
 * Compiles a schema into a reader that returns exactly the schema's keys, in its order. A missing, null or unreadable
 * value becomes the contract's value for unknown, so it affects only that field, never the record. Unreadable list
 * entries are dropped. It is compiled once, because it runs on every incoming record.
 */
export function compileReader(schema: Shape, path = ''): Read {
  const { shape, isNullable } = unwrapped(schema)
  const read = readerOf(shape, path)
  const unknown = isNullable ? () => null : unknownOf(shape, read)
  return (value, unread) => {
    if (value === null || value === undefined) return unknown(unread)
    const known = read(value, unread)
    if (known === undefined) unread(path)
    return known ?? unknown(unread)
  }
}

function readerOf(shape: Shape, path: string): Read {
  if (isDate(shape)) return dateReader(shape)
  if (isPeriod(shape)) return periodReader(objectReader(shape, path))
  if (shape.type === 'object') return objectReader(shape, path)
  if (shape.type === 'array') return arrayReader(shape, path)
  if (shape.type === 'string') return textReader(shape, path)
  if (shape.type === 'boolean') return (value) => (typeof value === 'boolean' ? value : undefined)
  if (shape.type === 'integer' || shape.type === 'number') return numberReader(shape)
  return (value) => (depthOf(value) <= deepest ? value : undefined)
}

function unknownOf(shape: Shape, read: Read): (unread: OnUnread) => unknown {
  if (shape.type === 'object') return (unread) => read({}, unread)
  if (shape.type === 'array') return () => []
  return () => (shape.type === 'boolean' ? false : shape.type === 'string' ? '' : null)
}

function objectReader(shape: Shape, path: string): Read {
  const fields = Object.entries(shape.properties ?? {}).map(([key, inner]) => {
    return { key, read: compileReader(inner, path ? `${path}.${key}` : key) }
  })
  return (value, unread) => {
    if (!isObject(value)) return undefined
    const record: Record<string, unknown> = {}
    for (const { key, read } of fields) record[key] = read(value[key], unread)
    return record
  }
}

/** A period with anything in its end is never ongoing, and it never ends before it begins. */
function periodReader(read: Read): Read {
  return (value, unread) => {
    const range = read(value, unread) as DateRange | undefined
    if (!range || !isObject(value)) return undefined
    return range.end === null && saysEnded(value['end']) ? dateRange(range.start, value['end']) : inOrder(range)
  }
}

function arrayReader(shape: Shape, path: string): Read {
  const items = unwrapped(shape.items ?? {}).shape
  const read = items.type === 'string' ? textInObject(readerOf(items, path)) : readerOf(items, path)
  return (value, unread) => {
    if (!Array.isArray(value)) return undefined
    const list: unknown[] = []
    for (const entry of value) {
      const known = entry === null ? null : read(entry, unread)
      if (known === undefined) unread(path)
      else if (known !== null) list.push(known)
    }
    return list
  }
}

/**
 * Some services wrap each text of a list, as in `{"number": "+1 ...", "type": "MOBILE"}`: then the main text is used.
 */
function textInObject(read: Read): Read {
  return (value, unread) => {
    if (!isObject(value)) return read(value, unread)
    const wrapped = ['number', 'phone_number', 'phone', 'value', 'text', 'name', 'url', 'handle'].map(
      (key) => value[key],
    )
    return read(
      wrapped.find((one) => typeof one === 'string' || typeof one === 'number'),
      unread,
    )
  }
}

/** Text is kept byte for byte. A number becomes text; an id that no store could keep is unreadable. */
function textReader(shape: Shape, path: string): Read {
  const pattern = shape.pattern === undefined ? null : new RegExp(shape.pattern)
  const isName = /(^|\.|_)(id|urn|identifier)$/.test(path)
  return (value) => {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    const known = String(value).toWellFormed()
    if (isName && known === '') return null
    if (isName && /[\0\s]/.test(known)) return undefined
    if (!pattern || pattern.test(known)) return known
    return [known.toUpperCase(), known.toLowerCase()].find((cased) => pattern.test(cased)) ?? known
  }
}

/** A number beyond 2^53 is not exact, so it is unknown; so is one outside its range. */
function numberReader(shape: Shape): Read {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = shape
  return (value) => {
    if (typeof value !== 'number' && typeof value !== 'string') return undefined
    const whole = typeof value === 'number' ? Math.round(value) : integer(value)
    if (whole === null) return undefined
    return Number.isSafeInteger(whole) && whole >= minimum && whole <= maximum ? whole + 0 : null
  }
}

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/**
 * A date may be a text. A date without a year is unknown, and `iso` is rewritten so that it has exactly the date's
 * precision.
 */
function dateReader(shape: Shape): Read {
  const hasIso = shape.properties !== undefined && 'iso' in shape.properties
  return (value) => {
    if (typeof value === 'string' && saysOngoing(value)) return null
    const known = isObject(value) && integer(value['year']) !== null ? value : parsePartialDate(value)
    if (known === null) return isObject(value) ? null : undefined
    const [year, givenMonth, givenDay] = [integer(known.year), integer(known.month), integer(known.day)]
    if (year === null || year < 1 || year > 9999) return null
    const month = givenMonth !== null && givenMonth >= 1 && givenMonth <= 12 ? givenMonth : null
    const days = month === null ? 0 : (daysOfMonth[month - 1] ?? 0)
    const day = givenDay !== null && givenDay >= 1 && givenDay <= days ? givenDay : null
    return hasIso ? { year, month, day, iso: isoOf(year, month, day) } : { year, month, day }
  }
}

function isoOf(year: number, month: number | null, day: number | null): string {
  let iso = String(year).padStart(4, '0')
  if (month !== null) iso += month < 10 ? `-0${month}` : `-${month}`
  if (day !== null) iso += day < 10 ? `-0${day}` : `-${day}`
  return iso
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The nesting depth of a free-form value; beyond the limit, serialising it would overflow the stack. */
function depthOf(value: unknown): number {
  let level = [value]
  let depth = 0
  while (level.length > 0 && depth <= deepest) {
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
    depth += 1
  }
  return depth
}
