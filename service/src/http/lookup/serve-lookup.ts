import type { Caller } from '../../accounts/caller.ts'
import { Failure } from '../../foundation/failure.ts'
import { newRequestId } from '../../foundation/request-id.ts'
import { answerLookup } from '../../lookup/answer-lookup.ts'
import { answerSample } from '../../lookup/answer-sample.ts'
import { failedTrace } from '../../lookup/ended-call.ts'
import type { Lookup, LookupAnswer } from '../../lookup/asked/lookup.ts'
import { Body } from '../../records/body/record-bytes.ts'
import { filledFrom } from './filled-from.ts'
import { addressOf, authorize, newProgress } from './authorize.ts'
import { wantsProblems, varyValue } from './caller-headers.ts'
import { type Coding, compressBytes, compressedFromBytes } from '../../foundation/compress.ts'
import { failureResponse, noteFailure, toFailure } from '../exchange/failure-response.ts'
import type { IsGone, LookupRequest, Progress, Reply } from '../exchange/lookup-request.ts'
import type { HttpDeps } from '../exchange/deps.ts'
import type { Writable } from 'node:stream'
import type { RemainingCredits } from '../../credits/decision/settlement-requests.ts'

const overloaded = new Failure('overloaded', { retryAfterSeconds: 1 })
/** Statuses of refusals that a caller can cause without limit; their responses are delayed. */
const pacedStatuses: ReadonlySet<number> = new Set([401, 402, 403, 429])

/**
 * Serves one lookup. It checks key, permissions, rate limit and query in this order, so a bad key never learns whether
 * its query is valid. The fast path and Fastify both end here.
 */
export async function serveLookup(deps: HttpDeps, request: LookupRequest, reply: Reply, isGone: IsGone): Promise<void> {
  const progress = newProgress(newRequestId(), deps.clock.now())
  let lookup: Lookup | null = null
  let failure: Failure
  deps.guard.enter()
  try {
    if (deps.guard.overloaded) throw overloaded
    const authorized = authorize(deps, request, progress)
    const caller = authorized instanceof Promise ? await authorized : authorized
    if (!(caller instanceof Failure)) {
      lookup = deps.lookupParser.parse(request, progress, isGone)
      if (lookup.spendTag && caller.mode === 'live') await countTag(deps, caller, lookup, progress)
      const answer =
        caller.mode === 'test' ? answerSample(deps.lookup, lookup) : await answerLookup(deps.lookup, caller, lookup)
      const { coding } = request.headers
      if (coding !== null && answer.body.byteLength >= compressedFromBytes) {
        const made = await compressBytes(answer.body.toBuffer(), coding)
        if (made) return sendAnswer(deps, lookup, reply, progress, { ...answer, body: new Body(made) }, coding)
      }
      return sendAnswer(deps, lookup, reply, progress, answer)
    }
    failure = caller
  } catch (error) {
    failure = toFailure(error)
  } finally {
    deps.guard.leave()
  }
  await sendFailure(deps, { request, lookup }, reply, progress, failure)
}

/** Counts the call under its tag, or under the common name if the day has too many tags; the response says so. */
async function countTag(deps: HttpDeps, { environmentId }: Caller, lookup: Lookup, progress: Progress): Promise<void> {
  const given = lookup.spendTag ?? ''
  const counted = await deps.lookup.spendTags.countedAs(environmentId, given)
  lookup.spendTag = progress.spendTag = counted
  if (counted !== given) progress.tagCountedAs = counted
}

function sendAnswer(
  deps: HttpDeps,
  { identifier: { kind }, trace }: Lookup,
  reply: Reply,
  progress: Progress,
  answer: LookupAnswer,
  coding: Coding | null = null,
): void {
  const { requestId, caller, startedAt, spendTag } = progress
  const now = deps.clock.now()
  reply(200, recordHeaders(progress, answer, now, coding), answer.body)
  deps.callEnded({
    requestId,
    kind,
    caller,
    startedAt,
    durationMs: now - startedAt,
    status: 200,
    code: null,
    source: answer.source,
    entityId: answer.entityId,
    replay: answer.replay,
    spendTag,
    credits: answer.credits?.charged ?? 0,
    trace: trace ?? null,
  })
}

async function sendFailure(
  deps: HttpDeps,
  { request, lookup }: { request: LookupRequest; lookup: Lookup | null },
  reply: Reply,
  progress: Progress,
  failure: Failure,
): Promise<void> {
  const { requestId, caller, startedAt, spendTag } = progress
  const { code } = failure
  noteFailure(deps.log, failure, requestId)
  const { status, headers, body: text } = failureResponse(failure, requestId, wantsProblems(request.headers.accept))
  // A key that ended during its call learns no limits and credits, like every other key that does not work.
  if (status === 401) progress.rate = null
  const due = pacedStatuses.has(status) ? deps.refusalPace.wait(caller?.keyId ?? addressOf(deps, request)) : null
  if (due) await due
  const left = progress.rate && caller?.mode === 'live' ? deps.remainingCreditsOf(caller, code) : null
  const remaining = left instanceof Promise ? await left : left
  const body = Buffer.from(text)
  const now = deps.clock.now()
  reply(status, failureHeaders(progress, headers, body.byteLength, remaining, now), new Body(body))
  deps.callEnded({
    requestId,
    kind: request.kind,
    caller,
    startedAt,
    durationMs: now - startedAt,
    status,
    code,
    source: null,
    entityId: null,
    replay: null,
    spendTag,
    credits: 0,
    trace: lookup && caller?.mode === 'live' ? failedTrace(lookup, failure) : null,
    broken: lookup ? undefined : failure.details.broken,
  })
}

/** Responses up to this size are assembled in the shared buffer; larger ones allocate. */
export const answerBufferBytes = 32_768

let buffer = Buffer.allocUnsafeSlow(answerBufferBytes)

/**
 * The shared buffer for the next response. The kernel usually takes a response at once, so the buffer can be reused.
 * Allocating one per response would be nearly all the garbage of a hot response.
 */
export function answerBuffer(): Buffer {
  return buffer
}

/** Called after a write from the shared buffer. Bytes still unsent belong to the stream, so a new buffer replaces it. */
export function answerWritten(stream: Writable | null): void {
  if (stream === null || stream.writableLength > 0) buffer = Buffer.allocUnsafeSlow(answerBufferBytes)
}

const always = `Cache-Control: private, no-store\r\nVary: ${varyValue}\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: `

/*
 * Header lines are one string: it costs a hundredth of a list of names and values, which Node validates one by one. All
 * parts are ours, except the names of ignored parameters, which `parse-lookup` has cleaned.
 */

/** The header lines of a record. */
function recordHeaders(progress: Progress, answer: LookupAnswer, now: number, coding: Coding | null): string {
  const { body, source, fetchedAt, sourceUpdatedAt, credits } = answer
  const age = source === 'live' ? 0 : Math.max(0, Math.floor((now - fetchedAt) / 1_000))
  let head =
    `${baseHead(progress)}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.byteLength}\r\n` +
    `X-Data-Source: ${source}\r\nX-Fetched-At: ${timeWithOffset(fetchedAt)}\r\nX-Data-Age-Seconds: ${age}\r\n`
  if (coding !== null) head += `Content-Encoding: ${coding}\r\n`
  if (credits) head += `X-Credits-Charged: ${credits.charged}\r\n${remainingLines(credits, now)}`
  if (sourceUpdatedAt !== null) head += `X-Source-Updated-At: ${timeWithOffset(sourceUpdatedAt)}\r\n`
  if (answer.filled) head += `X-Filled-From: ${filledFrom(answer.filled, now)}\r\n`
  if (answer.thin) head += 'X-Record-Thin: true\r\n'
  if (answer.replay) head += 'Idempotent-Replayed: true\r\n'
  return head
}

/** The header lines of a failure; `own` are specific to this failure. */
function failureHeaders(
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

/** A time with its offset: `2026-11-14T09:30:00.000+00:00`. The last result is cached, because many calls need the same. */
export function timeWithOffset(at: number): string {
  if (at === lastAt) return lastText
  lastAt = at
  lastText = `${new Date(at).toISOString().slice(0, -1)}+00:00`
  return lastText
}
