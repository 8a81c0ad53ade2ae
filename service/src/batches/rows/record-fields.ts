import { Company, Person, type Kind } from '@vitae/contract'
import { nearestName } from '../../foundation/text/nearest-name.ts'

/** The parts of a schema that are needed to follow a path. */
interface Shape {
  type?: unknown
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
}

const shapes: Record<Kind, Shape> = { people: Person as Shape, companies: Company }

const fieldAtMost = 200

/** The default fields of a record in a CSV. */
export const defaultFields: Record<Kind, readonly string[]> = {
  people: [
    'member_urn',
    'public_identifier',
    'first_name',
    'last_name',
    'headline',
    'location.name',
    'location.country_code',
    'experience.0.company_name',
    'experience.0.company_id',
    'experience.0.positions.0.title',
    'profile_url',
  ],
  companies: [
    'company_id',
    'public_identifier',
    'company_name',
    'tagline',
    'industries.0.name',
    'staff_info.staff_count',
    'staff_info.staff_range.start',
    'staff_info.staff_range.end',
    'locations.headquarter.city',
    'locations.headquarter.country',
    'founded_on.year',
    'company_url',
    'platform_url',
  ],
}

/** Why no record can have a dotted path, with a suggestion; null if a record can have it. */
export function unknownField(kind: Kind, field: string): string | null {
  const root = shapes[kind]
  // Limited before anything is compared: a longer text is not a path.
  if (field.length > fieldAtMost) return `no ${kind} record has a field with such a long name.`
  if (isPath(root, field.split('.'))) return null
  const near = suggestion(field, [...pathsOf(root, '', field)])
  const hint = near === null ? 'docs/reference/api.md shows every field.' : `Did you mean ${near}?`
  return `no ${kind} record has ${field.slice(0, 100)}. ${hint}`
}

/** The value at a dotted path such as `experience.0.company_name`; undefined if absent. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

/**
 * A path that ends in the same name, at any depth; else one with a similar spelling; else one that contains the name.
 */
function suggestion(field: string, paths: readonly string[]): string | null {
  const last = field.split('.').at(-1) ?? ''
  const nameOf = (path: string) => path.split('.').at(-1) ?? ''
  return (
    paths.find((path) => nameOf(path) === last) ??
    nearestName(field, paths) ??
    paths.find((path) => nameOf(path).includes(last)) ??
    null
  )
}

function isPath(shape: Shape, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true
  const { type, properties, items } = unwrapped(shape)
  if (type === undefined && !shape.anyOf) return true
  if (properties) {
    const next = Object.hasOwn(properties, step) ? properties[step] : undefined
    return next !== undefined && isPath(next, rest)
  }
  return items !== undefined && /^(0|[1-9]\d*)$/.test(step) && isPath(items, rest)
}

/** Every path, with the list index of the given one at this position, or 0. */
function* pathsOf(shape: Shape, prefix: string, given: string): Generator<string> {
  if (prefix !== '') yield prefix
  const { properties = {}, items } = unwrapped(shape)
  const inside = prefix === '' ? '' : `${prefix}.`
  for (const [name, inner] of Object.entries(properties)) yield* pathsOf(inner, `${inside}${name}`, given)
  if (!items) return
  const place = given.split('.')[prefix.split('.').length] ?? ''
  yield* pathsOf(items, `${inside}${/^\d+$/.test(place) ? place : 0}`, given)
}

function unwrapped(shape: Shape): Shape {
  return shape.anyOf?.find(({ properties, items }) => properties ?? items) ?? shape
}
