import { kinds } from '@vitae/contract'
import Type, { type TSchema } from 'typebox'

/** Pieces that the answers of the admin API are made of. */
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' })
export const KindName = Type.Enum([...kinds])
export const Count = Type.Integer({ minimum: 0 })
export const Cursor = Type.Union([Type.String(), Type.Null()], { description: 'Where the next page begins.' })

/** For routes that take a list of up to 1,000 ids. */
export const listBytes = 1_048_576

/** The schema, or null. */
export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** The part of an object that is there: an optional parameter that was not given is left out, not passed as undefined. */
export function given<T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
