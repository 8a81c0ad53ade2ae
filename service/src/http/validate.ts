import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Failure } from '../foundation/failure.ts'

/**
 * Validates a request. Queries and paths are text, so their values are converted first. A body is JSON and is not
 * converted: that would turn null, which removes a setting, into 0 or "", which sets it.
 */
export const validate: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator | null = null
  return (data: unknown) => {
    // Compiled at the first call, because that makes the start quicker.
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'body' ? (data ?? {}) : validator.Convert(data)
    const misfit = longList(schema, value) ?? largeNumber(schema, value)
    if (misfit) return { error: [misfit] }
    if (!validator.Check(value)) return { error: ofOneKind(validator.Errors(value)).flatMap(complaints) }
    // Looked for last, in all that there is: what has another shape may be a million lists within each other.
    const zero = zeroByte(value)
    return zero ? { error: [zero] } : { value }
  }
}

/** A list that is too long is refused before its items are looked at, which takes long for many of them. */
function longList(schema: TSchema, value: unknown): Refusal | null {
  const { properties = {} } = schema as { properties?: Record<string, { maxItems?: number }> }
  for (const [name, given] of Object.entries(value as object)) {
    const { maxItems = Infinity } = (Object.hasOwn(properties, name) && properties[name]) || {}
    if (!Array.isArray(given) || given.length <= maxItems) continue
    const message = `must not have more than ${maxItems} items`
    return { keyword: 'maxItems', schemaPath: '', instancePath: `/${name}`, message, params: { limit: maxItems } }
  }
  return null
}

interface Shape {
  type?: string
  anyOf?: Shape[]
}

/** No column holds a whole number beyond these, and JavaScript does not know which of two neighbours it is. */
function largeNumber(schema: TSchema, value: unknown): Refusal | null {
  const { properties = {} } = schema as { properties?: Record<string, Shape> }
  for (const [name, shape] of Object.entries(properties)) {
    const given = (value as Record<string, unknown>)[name]
    if (typeof given !== 'number' || Number.isSafeInteger(given) || !isInteger(shape)) continue
    const message = `must be a whole number of at most ${Number.MAX_SAFE_INTEGER}`
    return { keyword: 'maximum', schemaPath: '', instancePath: `/${name}`, message, params: {} }
  }
  return null
}

function isInteger({ type, anyOf = [] }: Shape): boolean {
  return type === 'integer' || anyOf.some(isInteger)
}

/** PostgreSQL keeps no text with a zero byte, so nothing is looked for or kept under one, however deep it stands. */
function zeroByte(value: unknown): Refusal | null {
  // Not by calls of itself: a body may be nested deeper than they may be.
  const left: [path: string, value: unknown][] = [['', value]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [instancePath, given] = next
    if (typeof given === 'string' && given.includes('\0'))
      return { keyword: 'pattern', schemaPath: '', instancePath, message: 'must not contain a zero byte', params: {} }
    if (typeof given !== 'object' || given === null) continue
    for (const [name, inner] of Object.entries(given)) left.push([`${instancePath}/${name}`, inner])
  }
  return null
}

type Complaint = { keyword: string; schemaPath: string; instancePath: string; message: string; params: object }
type Refusal = Complaint & { params: Record<string, unknown> }

/** What may also be null is a choice between two shapes: only what is wrong with the other one is worth a word. */
function ofOneKind(all: Complaint[]): Complaint[] {
  const choices = new Set(all.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath))
  const rest = all.filter(({ keyword, instancePath, message }) => {
    // Each member that is not known has a complaint of its own.
    if (keyword === 'anyOf' || keyword === 'additionalProperties') return false
    return !(message === 'must be null' && choices.has(instancePath))
  })
  return rest.length > 0 ? rest : all
}

/** In the form of Fastify's validation errors: one per missing property. */
function complaints(complaint: Complaint): Refusal[] {
  const params = { ...complaint.params } as Record<string, unknown>
  if (complaint.message === 'schema is false') return [{ ...complaint, message: 'is not known', params }]
  const missing = params['requiredProperties']
  if (!Array.isArray(missing)) return [{ ...complaint, params }]
  return missing.map((name: string) => {
    return { ...complaint, message: `must have ${name}`, params: { missingProperty: name } }
  })
}

/** A 400 about one parameter that a schema cannot check. */
export function invalidParameter(parameter: string, detail: string): Failure {
  return new Failure('invalid_request', { detail: `${parameter} ${detail}.`, errors: [{ parameter, detail }] })
}
