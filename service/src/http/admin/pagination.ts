import Type from 'typebox'
import { invalidParameter } from '../validate.ts'

/** The query of every list: so many at a time, from where the last page ended. */
export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  cursor: Type.Optional(Type.String()),
}

/** Where the next page begins; null on the last one. */
export function nextCursor<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): string | null {
  const last = rows.at(-1)
  return last !== undefined && rows.length === limit ? cursorOf(last) : null
}

/** A cursor that is the id of a row; null for the first page. */
export function numberCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}
