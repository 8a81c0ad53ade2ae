import { invalidParameter } from '../../../foundation/failure.ts'

/** The cursor of the next page; null on the last page. */
export function nextCursor<T>(rows: readonly T[], limit: number, cursorOf: (row: T) => string): string | null {
  const last = rows.at(-1)
  return last !== undefined && rows.length === limit ? cursorOf(last) : null
}

/** Reads a cursor that is a row id; null for the first page. */
export function numberCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor)
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}

/** Reads a cursor of a number and a name, as `placeText` writes it; null for the first page. */
export function placeCursor(cursor: string | undefined): [value: number, name: string] | null {
  if (cursor === undefined) return null
  const [, value, name] = /^(\d{1,15})\.(.{1,200})$/su.exec(cursor) ?? []
  if (value !== undefined && name !== undefined) return [Number(value), name]
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}

/** The cursor of a list that is sorted by a time and then by name. */
export function placeText(at: string | number | null, name: string): string {
  return `${at === null ? 0 : new Date(at).getTime()}.${name}`
}
