import Type, { type TSchema } from 'typebox'

/** A closed object: a key that the contract does not name is a defect of ours. */
export function closed<const Properties extends Record<string, TSchema>>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) })
}

/** A value that may be null because it is not known. */
export function nullable<const Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

export const Text = nullable(Type.String())
export const Count = nullable(Type.Integer({ minimum: 0 }))
export const Flag = nullable(Type.Boolean())

export const HeadcountRange = closed(
  { start: Count, end: Count },
  'Headcount bracket. A null `end` beside a `start` is the open-ended top bracket.',
)
