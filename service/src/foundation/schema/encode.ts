import type { TSchema } from 'typebox'

/** Names of fields that contain a time. */
type MomentName = 'at' | `${string}_at` | 'since' | 'until' | 'valid_from'

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name

type FactOf<Name, Value> = Name extends MomentName ? (Value extends string ? string | number : Value) : Facts<Value>

/** An answer in internal form: a field name may be in camel case, and a time may be a number. */
export type Facts<Answer> = Answer extends readonly (infer Item)[]
  ? readonly Facts<Item>[]
  : Answer extends object
    ? string extends keyof Answer
      ? object
      :
          | { [Name in keyof Answer]: FactOf<Name, Answer[Name]> }
          | { [Name in keyof Answer as CamelCase<Name>]: FactOf<Name, Answer[Name]> }
    : Answer

interface JsonSchema {
  anyOf?: TSchema[]
  format?: string
  items?: TSchema
  properties?: Record<string, TSchema>
  type?: string
}

/**
 * Encodes facts by a schema: names become snake case, times ISO 8601 in UTC. Facts that the schema does not name are
 * dropped.
 */
export function encode(schema: TSchema, facts: unknown): unknown {
  const { anyOf, format, items, properties } = schema as JsonSchema
  if (facts === null || facts === undefined) return facts
  if (anyOf) {
    const [only, other] = anyOf.filter((one) => (one as JsonSchema).type !== 'null')
    return only && !other ? encode(only, facts) : facts
  }
  if (format === 'date-time') return typeof facts === 'number' ? new Date(facts).toISOString() : facts
  if (items && Array.isArray(facts)) return facts.map((fact) => encode(items, fact))
  if (!properties || typeof facts !== 'object') return facts
  const answer: Record<string, unknown> = {}
  for (const [fact, value] of Object.entries(facts)) {
    const name = fact.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const property = properties[name]
    if (property && value !== undefined) answer[name] = encode(property, value)
  }
  return answer
}
