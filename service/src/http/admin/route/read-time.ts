import { parseMoment } from '../../../foundation/clock.ts'
import { parseDuration } from '../../../foundation/rate.ts'
import { invalidParameter } from '../../../foundation/failure.ts'

/** Reads a time, or fails with 400. */
export function readTime(parameter: string, text: string, now: number): number {
  const ago = parseDuration(text)
  if (ago !== null) return now - ago
  const at = parseMoment(text)
  if (!Number.isNaN(at)) return at
  throw invalidParameter(
    parameter,
    'must be a date, an ISO 8601 time such as 2026-11-14T09:30:00Z, or a duration such as 24h or 7d',
  )
}

/** Reads an optional time. */
export function readTimeIfGiven(parameter: string, text: string | undefined, now: number): number | undefined {
  return text === undefined ? undefined : readTime(parameter, text, now)
}
