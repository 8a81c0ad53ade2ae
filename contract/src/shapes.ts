import Type, { type TSchema } from 'typebox'

/** A closed object: an unknown key in our output is a bug. */
export function closed<const Properties extends Record<string, TSchema>>(properties: Properties, description?: string) {
  return Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) })
}

/** A value that is null if unknown. */
export function nullable<const Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

export const Text = nullable(Type.String())
export const Count = nullable(Type.Integer({ minimum: 0 }))
export const Flag = nullable(Type.Boolean())

export const HeadcountRange = closed(
  { start: Count, end: Count },
  'A range of headcounts. A `start` with a null `end` is the highest range, which has no upper limit.',
)
