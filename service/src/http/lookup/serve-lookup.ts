import type { Caller } from '../../accounts/key-cache.ts'
import { Failure } from '../../foundation/failure.ts'
import { newRequestId } from '../../foundation/request-id.ts'
import { answerLookup } from '../../lookup/answer-lookup.ts'
import { answerSample } from '../../lookup/answer-sample.ts'
import { failedTrace } from '../../lookup/ended-call.ts'
import type { Lookup, LookupAnswer } from '../../lookup/lookup.ts'
import { Body } from '../../records/body/record-bytes.ts'
import { addressOf, authorize, newProgress } from './authorize.ts'
import { wantsProblems } from './caller-headers.ts'
import { type Coding, compressBytes, compressedFromBytes } from '../compress.ts'
import { failureHeaders, recordHeaders } from './response-headers.ts'
import { failureResponse, noteFailure, toFailure } from '../failure-response.ts'
import type { IsGone, LookupRequest, Progress, Reply } from './lookup-request.ts'
import type { HttpDeps } from '../deps.ts'
import type { Writable } from 'node:stream'

const overloaded = new Failure('overloaded', { retryAfterSeconds: 1 })
/** Refusals that callers may cause without end: those of a key, its permissions, its rate and its credits. */
const pacedStatuses: ReadonlySet<number> = new Set([401, 402, 403, 429])

/**
 * Serves one lookup: key, permissions, rate limit, query, then the lookup itself, in this order, so that a bad key
 * never learns whether its query was well formed. The fast path and Fastify both end here.
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

/** Counts the call under its tag, or where the day has too many under the common name, which the answer says. */
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
  const { requestId, caller, startedAt, rate, spendTag } = progress
  const { code } = failure
  noteFailure(deps.log, failure, requestId)
  const { status, headers, body: text } = failureResponse(failure, requestId, wantsProblems(request.headers.accept))
  const due = pacedStatuses.has(status) ? deps.refusalPace.wait(caller?.keyId ?? addressOf(deps, request)) : null
  if (due) await due
  const left = rate && caller?.mode === 'live' ? deps.remainingCreditsOf(caller, code) : null
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

/** Answers up to this size are put together here; larger ones get memory of their own. */
export const answerBufferBytes = 32_768

let buffer = Buffer.allocUnsafeSlow(answerBufferBytes)

/**
 * Memory for the next answer. The kernel takes most answers at once, and then the same memory serves the next one: a buffer
 * for each would be all of the garbage that a hot answer makes.
 */
export function answerBuffer(): Buffer {
  return buffer
}

/** Called after a write of that memory: what is still on its way belongs to the stream now. */
export function answerWritten(stream: Writable | null): void {
  if (stream === null || stream.writableLength > 0) buffer = Buffer.allocUnsafeSlow(answerBufferBytes)
}
