import { Failure } from '../../foundation/failure.ts'
import { newRequestId } from '../../foundation/request-id.ts'
import { answerLookup } from '../../lookup/answer-lookup.ts'
import { answerSample } from '../../lookup/answer-sample.ts'
import type { LookupAnswer } from '../../lookup/lookup.ts'
import { Body } from '../../records/body/record-bytes.ts'
import { admit, type Progress } from './authorize.ts'
import { failureHead, recordHead } from './response-headers.ts'
import { failureAnswer, noteFailure, toFailure } from '../failure-response.ts'
import type { LookupRequest, Reply } from './lookup-request.ts'
import type { HttpNeeds } from '../deps.ts'

/**
 * Serves one lookup: key, permissions, rate limit, query, then the lookup itself, in this order, so that a bad key
 * never learns whether its query was well formed. It knows nothing of the door that the request came through.
 */
export async function serveLookup(needs: HttpNeeds, request: LookupRequest, reply: Reply): Promise<void> {
  const progress: Progress = { requestId: newRequestId(), startedAt: needs.clock.now(), caller: null, rate: null }
  needs.guard.enter()
  try {
    if (needs.guard.overloaded) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    const admitted = admit(needs, request, progress)
    const caller = admitted instanceof Promise ? await admitted : admitted
    const lookup = needs.lookupReader.read(request, progress)
    const answer =
      caller.mode === 'test' ? answerSample(needs, lookup) : await answerLookup(needs.lookup, caller, lookup)
    sendAnswer(needs, request, reply, progress, answer)
  } catch (error) {
    await sendFailure(needs, request, reply, progress, toFailure(error))
  } finally {
    needs.guard.leave()
  }
}

function sendAnswer(
  needs: HttpNeeds,
  { kind }: LookupRequest,
  reply: Reply,
  progress: Progress,
  answer: LookupAnswer,
): void {
  const { requestId, caller, startedAt } = progress
  const now = needs.clock.now()
  reply(200, recordHead(progress, answer, now), answer.body)
  needs.callEnded({
    requestId,
    kind,
    caller,
    startedAt,
    durationMs: now - startedAt,
    status: 200,
    code: null,
    source: answer.source,
    replay: answer.replay,
    credits: answer.credits?.charged ?? 0,
  })
}

async function sendFailure(
  needs: HttpNeeds,
  { kind }: LookupRequest,
  reply: Reply,
  progress: Progress,
  failure: Failure,
): Promise<void> {
  const { requestId, caller, startedAt, rate } = progress
  const { code } = failure
  noteFailure(needs.log, failure, requestId)
  const { status, headers, body: text } = failureAnswer(failure, requestId)
  const body = Buffer.from(text)
  const standing = rate && caller?.mode === 'live' ? await needs.standingOf(caller, code) : null
  reply(status, failureHead(progress, headers, body.byteLength, standing), new Body(body))
  const durationMs = needs.clock.now() - startedAt
  needs.callEnded({
    requestId,
    kind,
    caller,
    startedAt,
    durationMs,
    status,
    code,
    source: null,
    replay: null,
    credits: 0,
  })
}
