import { invalidParameter } from '../../foundation/failure.ts'

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

/** A cursor that is a number and the name of a row, as `placeText` writes it; null for the first page. */
export function placeCursor(cursor: string | undefined): [value: number, name: string] | null {
  if (cursor === undefined) return null
  const [, value, name] = /^(\d{1,15})\.(.{1,200})$/su.exec(cursor) ?? []
  if (value !== undefined && name !== undefined) return [Number(value), name]
  throw invalidParameter('cursor', 'must be the next_cursor of a page')
}

/** Where a list ends that is sorted by a time and then by the name of the row. */
export function placeText(at: string | number | null, name: string): string {
  return `${at === null ? 0 : new Date(at).getTime()}.${name}`
}
