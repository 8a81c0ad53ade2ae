import { feedCursorPattern, monthPattern } from '@vitae/contract'
import { labelPattern } from '@vitae/contract/admin'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

interface Shape {
  type?: string
  anyOf?: TSchema[]
  properties?: Record<string, TSchema>
  required?: string[]
  additionalProperties?: unknown
  items?: TSchema
  maxItems?: number
  pattern?: string
}

/** Collects problems; not all of them need be listed. */
interface Complaints {
  readonly count: number
  readonly more: number
  add(parameter: string, detail: string): unknown
}

/**
 * Adds a value's schema violations to the complaints. It walks objects and lists itself: typebox spends several
 * microseconds on each violation, even beyond its limit, so a body of unknown members would delay every other call.
 */
export function explain(schema: TSchema, value: unknown, complaints: Complaints, whole: Validator): void {
  const walk = new Walk(complaints)
  walk.visit(schema, value, '')
  if (complaints.count > 0 || whole.Check(value)) return
  walk.checksValues = true
  walk.visit(schema, value, '')
  if (complaints.count === 0) for (const { message } of whole.Errors(value)) complaints.add('', message)
}

/** Patterns that few readers could read, in words. */
const wishes = new Map<string | undefined, string>([
  [labelPattern, 'must not contain control characters, line breaks or marks that change the direction of text'],
  [monthPattern, 'must be a month such as 2026-10'],
  [feedCursorPattern, 'must be the next of the previous page'],
])

/** A violation in words: typebox's own message has a pattern or a sign, and does not list the allowed values. */
function inWords(error: ReturnType<Validator['Errors']>[number], { pattern }: Shape): string {
  if (error.keyword === 'pattern') return wishes.get(pattern) ?? error.message
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  if (error.keyword === 'maximum') return `must be at most ${error.params.limit}`
  if (error.keyword === 'minimum') return `must be at least ${error.params.limit}`
  return error.message
}

class Walk {
  readonly #complaints: Complaints
  /**
   * False while only names, lengths and large numbers are checked: the schemas of single values are compiled only if
   * one is wrong.
   */
  checksValues = false

  constructor(complaints: Complaints) {
    this.#complaints = complaints
  }

  visit(schema: TSchema, value: unknown, path: string): void {
    const complaints = this.#complaints
    const before = complaints.count
    const shape = chosenOf(schema, value) as Shape
    if (shape.properties && isObject(value)) this.#visitMembers(shape, value, path)
    else if (shape.items && Array.isArray(value)) this.#visitItems(shape, value, path)
    if (isLargeNumber(shape, value))
      complaints.add(path, `must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`)
    if (!this.checksValues || complaints.count > before || validatorOf(schema).Check(value)) return
    if (complaints.more > 0) return void complaints.add(path, 'is not valid')
    for (const error of validatorOf(shape).Errors(value)) complaints.add(path, inWords(error, shape))
  }

  #visitMembers({ properties = {}, required = [], additionalProperties }: Shape, value: Members, path: string): void {
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    for (const name of required)
      if (!Object.hasOwn(value, name)) this.#complaints.add(at(name), `must have ${at(name)}`)
    for (const name of Object.keys(value)) {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (schema) this.visit(schema, value[name], at(name))
      else if (additionalProperties === false) this.#complaints.add(at(name), 'is not known')
    }
  }

  /** A list that is too long is refused before its items are read. */
  #visitItems({ items, maxItems = Infinity }: Shape, value: unknown[], path: string): void {
    if (value.length > maxItems) this.#complaints.add(path, `must not have more than ${maxItems} items`)
    else if (items) for (const [index, item] of value.entries()) this.visit(items, item, `${path}.${index}`)
  }
}

type Members = Record<string, unknown>

/** For a nullable value, the schema that is not null, because its violations are the useful ones. */
function chosenOf(schema: TSchema, value: unknown): TSchema {
  const { anyOf } = schema as Shape
  const [only, other] = anyOf?.filter((one) => (one as Shape).type !== 'null') ?? []
  return value !== null && only && !other ? only : schema
}

/** No column can store a larger whole number, and JavaScript cannot represent it exactly. */
function isLargeNumber(shape: Shape, value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && isInteger(shape)
}

function isInteger({ type, anyOf = [] }: Shape): boolean {
  return type === 'integer' || anyOf.some((one) => isInteger(one))
}

const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const made = Compile(schema)
  validators.set(schema, made)
  return made
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
