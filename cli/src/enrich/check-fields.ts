import { Company, Person, type Kind } from '@vitae/contract'
import { nearestName } from '@vitae/service/nearest-name'
import { CommandError } from '../command-error.ts'

/** As much of a schema as is needed to follow a path. */
interface Shape {
  type?: unknown
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  items?: Shape
}

const shapes: Record<Kind, Shape> = { people: Person as Shape, companies: Company }

/** Reads `--fields`, and refuses a path that no record can have: it would be found out only after all is paid for. */
export function readFields(kind: Kind, text: string | undefined): string[] | null {
  if (text === undefined) return null
  const fields = text.split(',').map((field) => field.trim())
  if (fields.includes('')) throw new CommandError('--fields has an empty name between its commas.', { exitCode: 2 })
  const root = shapes[kind]
  for (const field of fields) if (!isPath(root, field.split('.'))) throw unknownField(kind, field, root)
  return [...new Set(fields)]
}

function unknownField(kind: Kind, field: string, root: Shape): CommandError {
  const near = suggestion(field, [...pathsOf(root, '', field)])
  const hint = near === null ? 'docs/reference/api.md shows every field.' : `Did you mean ${near}?`
  return new CommandError(`--fields: no ${kind} record has ${field}. ${hint}`, { exitCode: 2 })
}

/** A path that ends in the same name, however deep; else one that is spelled alike; else one that contains the name. */
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

/** Every path, with the number that the given one has in this place, or 0. */
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
