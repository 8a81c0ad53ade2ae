import { types } from 'node:util'
import type { RawAnswer } from '../provider.ts'

const latestTime = 8.64e15

/** Whether a value is a time that can be stored and written as a date: whole milliseconds since the epoch. */
export function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= latestTime
}

/** Whether a value is an HTTP response. A proxy around the bytes is refused, because reading it would fail later. */
export function isAnswer(value: unknown): value is RawAnswer {
  if (!isObject(value)) return false
  const { status, headers, body, receivedAt } = value
  const isStatus = Number.isSafeInteger(status) && Number(status) >= 100 && Number(status) <= 599
  return isStatus && isObject(headers) && types.isUint8Array(body) && isTime(receivedAt)
}

/** Whether a text can be stored in its own column: no NUL character and no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
