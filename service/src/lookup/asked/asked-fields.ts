import { Company, type Kind, Person, type PersonPart, personParts } from '@vitae/contract'
import { nearestName } from '../../foundation/text/nearest-name.ts'
import type { PartsAsked } from '../../records/body/record-bytes.ts'

/** `rule` describes the problem without the names that the caller sent, so that it may be logged. */
type Complain = (detail: string, rule?: string) => void

/** The parts of a schema that are needed to follow a path. */
interface Shape {
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
}

const shapes: Record<Kind, Shape> = { people: Person as Shape, companies: Company as Shape }
const fieldNames: Record<Kind, readonly string[]> = {
  people: Object.keys(Person.properties),
  companies: Object.keys(Company.properties),
}
const identityKeys: Record<Kind, string> = { people: 'member_urn', companies: 'company_id' }
const includeFlags: Record<PersonPart, string> = {
  network: 'include_network_info',
  contact: 'include_contact_info',
  verifications: 'get_verification_details',
}
const paths: Partial<Record<Kind, ReadonlySet<string>>> = {}
const namesAtMost = 100
const textAtMost = 2_000
const shownAtMost = 40
/** Finding the nearest name costs more than parsing the rest of a query. */
const complaintsAtMost = 3

/** The requested top-level fields in the contract's order, always with the identity key; null = all. */
export function parseFields(kind: Kind, text: string | undefined, complain: Complain): readonly string[] | null {
  const names = namesIn(text, complain)
  if (!names) return null
  const strange = [...names].filter((name) => !fieldNames[kind].includes(name))
  for (const name of strange.slice(0, complaintsAtMost))
    complain(unknown('field', name, fieldNames[kind]), strangeName('field'))
  return fieldNames[kind].filter((name) => names.has(name) || name === identityKeys[kind])
}

/**
 * The optional parts that the body will contain: requested parts that `fields` does not exclude. Only these are priced
 * and enter the idempotency fingerprint.
 */
export function partsLeft(include: PartsAsked, fields: readonly string[] | null): PartsAsked {
  if (!fields) return include
  const shown = new Set(fields.map((field) => field.split('.', 1)[0]))
  const isLeft = (part: PersonPart) => include[part] && shown.has(personParts[part])
  return { contact: isLeft('contact'), network: isLeft('network'), verifications: isLeft('verifications') }
}

/**
 * The dotted paths that a record must have; null = none. They are sorted, so that their order does not change the
 * request. A path inside an optional part needs the parameter and the permission for that part.
 */
export function parseRequire(
  kind: Kind,
  text: string | undefined,
  include: PartsAsked,
  complain: Complain,
): readonly string[] | null {
  const names = namesIn(text, complain)
  if (!names) return null
  const all = pathsOf(kind)
  const strange = [...names].filter((name) => !all.has(name))
  for (const name of strange.slice(0, complaintsAtMost)) complain(unknown('path', name, all), strangeName('path'))
  for (const part of Object.keys(personParts) as PersonPart[]) {
    const name = [...names].find((one) => one.split('.', 1)[0] === personParts[part])
    const needed = `needs ${includeFlags[part]}=true`
    if (kind === 'people' && name && !include[part]) complain(`${name} ${needed}`, `has a path that ${needed}`)
  }
  return [...names].toSorted()
}

function namesIn(text: string | undefined, complain: Complain): ReadonlySet<string> | null {
  if (text === undefined) return null
  const names = text.length > textAtMost ? [] : text.split(',').map((name) => name.trim())
  if (names.length === 0 || names.length > namesAtMost) complain(`must be at most ${namesAtMost} names`)
  else if (names.includes('')) complain('must be names with commas between them')
  else return new Set(names)
  return null
}

const strangeName = (what: string) => `has a ${what} that no record has`

/** Repeats the caller's text only if it looks like a field name: it could be anything, even an API key. */
function unknown(what: string, name: string, names: Iterable<string>): string {
  if (!/^[a-z][a-z0-9_.]*$/i.test(name) || name.length > shownAtMost || name.startsWith('vt_')) return strangeName(what)
  const near = nearestName(name, names)
  return `has the ${what} ${name}, which no record has${near === null ? '' : `: did you mean ${near}?`}`
}

/** Every path of a record. A list is skipped in favour of its items: `experience.positions.title`. */
function pathsOf(kind: Kind): ReadonlySet<string> {
  return (paths[kind] ??= new Set(walk(shapes[kind], '')))
}

function* walk(shape: Shape, prefix: string): Generator<string> {
  if (prefix !== '') yield prefix
  const { properties = {}, items } = shape.anyOf?.find((one) => one.properties ?? one.items) ?? shape
  for (const [name, inner] of Object.entries(properties)) yield* walk(inner, prefix === '' ? name : `${prefix}.${name}`)
  if (items) for (const inner of walk(items, prefix)) if (inner !== prefix) yield inner
}
