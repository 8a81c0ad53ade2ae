import type { RemainingCredits } from '../../credits/settlement-requests.ts'
import type { LookupAnswer } from '../../lookup/lookup.ts'
import { varyValue } from './caller-headers.ts'
import type { Coding } from '../compress.ts'
import type { Progress } from './lookup-request.ts'

const always = `Cache-Control: private, no-store\r\nVary: ${varyValue}\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: `

/*
 * Header lines as one text, because a text costs a hundredth of what a list of names and values does, which Node checks
 * one by one. Everything in them is ours: numbers, times, words of the contract. Of what callers send only the names of ignored
 * parameters get here, cleaned by `parse-lookup`.
 */

/** The header lines of a record. */
export function recordHeaders(progress: Progress, answer: LookupAnswer, now: number, coding: Coding | null): string {
  const { body, source, fetchedAt, sourceUpdatedAt, credits } = answer
  const age = source === 'live' ? 0 : Math.max(0, Math.floor((now - fetchedAt) / 1_000))
  let head =
    `${baseHead(progress)}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.byteLength}\r\n` +
    `X-Data-Source: ${source}\r\nX-Fetched-At: ${timeWithOffset(fetchedAt)}\r\nX-Data-Age-Seconds: ${age}\r\n`
  if (coding !== null) head += `Content-Encoding: ${coding}\r\n`
  if (credits) head += `X-Credits-Charged: ${credits.charged}\r\n${remainingLines(credits, now)}`
  if (sourceUpdatedAt !== null) head += `X-Source-Updated-At: ${timeWithOffset(sourceUpdatedAt)}\r\n`
  if (answer.thin) head += 'X-Record-Thin: true\r\n'
  if (answer.replay) head += 'Idempotent-Replayed: true\r\n'
  return head
}

/** The header lines of a failure; `own` are those that belong to it alone. */
export function failureHeaders(
  progress: Progress,
  own: Record<string, string>,
  length: number,
  remaining: RemainingCredits | null,
  now: number,
): string {
  let head = baseHead(progress)
  for (const [name, value] of Object.entries(own)) head += `${name}: ${value}\r\n`
  head += `Content-Length: ${length}\r\n`
  return remaining ? head + remainingLines(remaining, now) : head
}

function baseHead({ requestId, rate, ignoredParameters, tagCountedAs }: Progress): string {
  let head = `${always}${requestId}\r\n`
  if (ignoredParameters !== null) head += `X-Ignored-Parameters: ${ignoredParameters}\r\n`
  if (tagCountedAs !== null) head += `X-Spend-Tag-Counted-As: ${tagCountedAs}\r\n`
  if (!rate) return head
  return `${head}X-RateLimit-Limit: ${rate.limit}\r\nX-RateLimit-Remaining: ${rate.remaining}\r\nX-RateLimit-Reset: ${rate.resetSeconds}\r\n`
}

function remainingLines({ available, ceilingRemaining, ceilingResetsAt }: RemainingCredits, now: number): string {
  const remaining = `X-Credits-Remaining: ${available}\r\n`
  if (ceilingRemaining === null || ceilingResetsAt === null) return remaining
  const resetSeconds = Math.max(0, Math.ceil((ceilingResetsAt - now) / 1_000))
  return `${remaining}X-Credits-Ceiling-Remaining: ${ceilingRemaining}\r\nX-Credits-Ceiling-Reset: ${resetSeconds}\r\n`
}

let lastAt = Number.NaN
let lastText = ''

/** A time with its offset written out: `2026-11-14T09:30:00.000+00:00`. The last one is kept, because many calls want the same. */
export function timeWithOffset(at: number): string {
  if (at === lastAt) return lastText
  lastAt = at
  lastText = `${new Date(at).toISOString().slice(0, -1)}+00:00`
  return lastText
}
