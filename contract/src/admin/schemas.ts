import Type, { type TSchema } from 'typebox'
import { kinds } from '../kinds.ts'

/** Shared schemas of admin operations. */
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
export const KindName = Type.Enum([...kinds])
export const Count = Type.Integer({ minimum: 0 })
export const Cursor = Type.Union([Type.String(), Type.Null()], { description: 'Where the next page begins.' })
/** A time in a query: a date, a time, or how long ago. */
export const Moment = Type.String({ description: 'A date, an ISO 8601 time, or how long ago, such as 24h or 7d.' })

/** The body limit of operations with up to 1,000 ids. */
export const listBytes = 1_048_576

/** The query of every list: page size and cursor. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String()),
}

/** The time range of a query; both ends are optional. */
export const spanQuery = { since: Type.Optional(Moment), until: Type.Optional(Moment) }

/** The schema, or null. */
export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}
