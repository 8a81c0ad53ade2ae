import Type, { type TSchema } from 'typebox'
import { kinds } from '../records/kinds.ts'

/** Shared schemas of admin operations. */
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
export const KindName = Type.Enum([...kinds])
export const Count = Type.Integer({ minimum: 0 })
export const Cursor = Type.Union([Type.String(), Type.Null()], {
  description: 'Send it as `cursor` to get the next page; null on the last page.',
})
/** A time in a query: a date, a time, or how long ago. */
export const Moment = Type.String({ description: 'A date, an ISO 8601 time, or how long ago, such as 24h or 7d.' })

/** The body limit of operations with up to 1,000 ids. */
export const listBytes = 1_048_576

/** The query of every list: page size and cursor. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String()),
}

/** The zone whose days a report counts. */
export const Zone = Type.String({
  maxLength: 100,
  description: 'Count days of this time zone, such as `Europe/Berlin`, instead of UTC days.',
})

/** The time range of a query; both ends are optional. */
export const spanQuery = { since: Type.Optional(Moment), until: Type.Optional(Moment) }

/** No control characters, and none that reverse the direction of the text beside them. */
export const labelPattern = '^[^\\x01-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069]*$'
export const Label = Type.String({ maxLength: 200, pattern: labelPattern })

/** The schema, or null. */
export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}
