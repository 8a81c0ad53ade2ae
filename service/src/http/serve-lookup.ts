import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Kind, PersonPart } from '@vitae/contract'
import type { Caller } from '../accounts/key-ring.ts'
import type { RateVerdict } from '../accounts/rate-limiter.ts'
import { parseIdempotencyKey } from '../credits/idempotency-key.ts'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { answerLookup } from '../lookup/answer-lookup.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { Lookup, LookupAnswer } from '../lookup/lookup.ts'
import { parseIdentifier } from '../records/parse-identifier.ts'
import { parseCacheDirectives } from './cache-directives.ts'
import { failureAnswer, toFailure } from './failure-answer.ts'
import type { HttpNeeds } from './needs.ts'
import { parseLookupQuery } from './parse-lookup-query.ts'
import { timeWithOffset } from './time-text.ts'

/** What is known about a call while it is being served: it grows with each check that is passed. */
interface Progress {
  requestId: string
  startedAt: number
  caller: Caller | null
  rate: RateVerdict | null
}

const partFlags: readonly [PersonPart, RegExp][] = [
  ['network', /(?:^|&)include_network_info=true(?:&|$)/],
  ['contact', /(?:^|&)include_contact_info=true(?:&|$)/],
  ['verifications', /(?:^|&)get_verification_details=true(?:&|$)/],
]

/**
 * Serves one lookup: key, permissions, rate limit, query, then the lookup itself, in this order, so that a bad key
 * never learns whether its query was well formed. It writes to the bare response, because this is the hot path.
 */
export async function serveLookup(
  needs: HttpNeeds,
  kind: Kind,
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): Promise<void> {
  const progress: Progress = { requestId: newRequestId(), startedAt: needs.clock.now(), caller: null, rate: null }
  needs.guard.enter()
  try {
    if (needs.guard.overloaded) throw new Failure('overloaded', { retryAfterSeconds: 1 })
    const admitted = admit(needs, kind, request, address, progress)
    const caller = admitted instanceof Promise ? await admitted : admitted
    const lookup = readLookup(needs, kind, request, progress)
    const answer =
      caller.mode === 'test' ? answerSample(needs, lookup) : await answerLookup(needs.lookup, caller, lookup)
    sendAnswer(needs, kind, response, progress, answer)
  } catch (error) {
    await sendFailure(needs, kind, response, progress, toFailure(error))
  } finally {
    needs.guard.leave()
  }
}

/** Everything about the key: does it exist, may it do this, has it calls left. At once for a key that is known already. */
function admit(
  needs: HttpNeeds,
  kind: Kind,
  request: IncomingMessage,
  address: string,
  progress: Progress,
): Caller | Promise<Caller> {
  const key = request.headers['apikey']
  const known = typeof key === 'string' ? needs.keyRing.known(key) : undefined
  if (!known) return admitStranger(needs, kind, request, address, progress)
  needs.keyRing.checkAlive(known)
  return admitCaller(needs, kind, request, address, progress, known)
}

async function admitStranger(
  needs: HttpNeeds,
  kind: Kind,
  request: IncomingMessage,
  address: string,
  progress: Progress,
): Promise<Caller> {
  const caller = await authenticate(needs, request.headers['apikey'], address)
  return admitCaller(needs, kind, request, address, progress, caller)
}

function admitCaller(
  needs: HttpNeeds,
  kind: Kind,
  request: IncomingMessage,
  address: string,
  progress: Progress,
  caller: Caller,
): Caller | Promise<Caller> {
  progress.caller = caller
  const refusal = permissionRefusal(caller, kind, searchOf(request), address)
  if (refusal) return refuse(needs, progress, caller, new Failure(refusal))
  const taken = needs.limiter.take(caller.keyId, caller.rate)
  return taken instanceof Promise
    ? taken.then((rate) => withinRate(progress, caller, rate))
    : withinRate(progress, caller, taken)
}

function withinRate(progress: Progress, caller: Caller, rate: RateVerdict): Caller {
  progress.rate = rate
  if (!rate.allowed) throw new Failure('rate_limit_exceeded', { retryAfterSeconds: rate.resetSeconds })
  return caller
}

/** A refused call is not counted, but its answer says how the caller stands. */
async function refuse(needs: HttpNeeds, progress: Progress, caller: Caller, failure: Failure): Promise<never> {
  progress.rate = await needs.limiter.peek(caller.keyId, caller.rate)
  throw failure
}

async function authenticate(needs: HttpNeeds, key: string | string[] | undefined, address: string): Promise<Caller> {
  try {
    if (key === undefined || key === '') throw new Failure('missing_api_key')
    if (typeof key !== 'string') throw new Failure('invalid_api_key')
    const caller = await needs.keyRing.find(key)
    needs.keyRing.checkAlive(caller)
    return caller
  } catch (error) {
    const counts = error instanceof Failure && (error.code === 'missing_api_key' || error.code === 'invalid_api_key')
    if (!counts) throw error
    const verdict = await needs.limiter.take(`address/${address}`, needs.unauthorizedRate)
    if (verdict.allowed) throw error
    throw new Failure('rate_limit_exceeded', { retryAfterSeconds: verdict.resetSeconds })
  }
}

function permissionRefusal(caller: Caller, kind: Kind, search: string, address: string) {
  if (caller.suspended) return 'project_suspended'
  if (caller.billingBlocked) return 'billing_blocked'
  if (caller.networks && !caller.networks.includes(address)) return 'address_not_allowed'
  if (caller.endpoints && !caller.endpoints.has(kind)) return 'endpoint_not_allowed'
  const { parts } = caller
  const forbidden =
    parts && kind === 'people' && partFlags.some(([part, asks]) => !parts.has(part) && asks.test(search))
  return forbidden ? 'part_not_allowed' : null
}

function readLookup(needs: HttpNeeds, kind: Kind, request: IncomingMessage, progress: Progress): Lookup {
  const query = parseLookupQuery(kind, searchOf(request))
  const identifier = parseIdentifier(kind, query.id, needs.platformHosts)
  const idempotencyKey = parseIdempotencyKey(request.headers['idempotency-key'])
  return {
    requestId: progress.requestId,
    startedAt: progress.startedAt,
    identifier,
    include: {
      contact: query.includeContactInfo,
      network: query.includeNetworkInfo,
      verifications: query.getVerificationDetails,
    },
    freshness: {
      maxAgeDays: query.maxAgeDays,
      bypassCache: query.bypassCache,
      ...parseCacheDirectives(request.headers['cache-control']),
    },
    idempotencyKey,
  }
}

function searchOf(request: IncomingMessage): string {
  const url = request.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function sendAnswer(
  needs: HttpNeeds,
  kind: Kind,
  response: ServerResponse,
  progress: Progress,
  answer: LookupAnswer,
): void {
  const now = needs.clock.now()
  const age = answer.source === 'live' ? 0 : Math.max(0, Math.floor((now - answer.fetchedAt) / 1_000))
  const headers = baseHeaders(progress)
  headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(answer.body.byteLength))
  headers.push('X-Data-Source', answer.source, 'X-Fetched-At', timeWithOffset(answer.fetchedAt))
  headers.push('X-Data-Age-Seconds', String(age))
  if (answer.credits) {
    headers.push('X-Credits-Charged', String(answer.credits.charged))
    pushCredits(headers, answer.credits)
  }
  if (answer.sourceUpdatedAt !== null) headers.push('X-Source-Updated-At', timeWithOffset(answer.sourceUpdatedAt))
  if (answer.thin) headers.push('X-Record-Thin', 'true')
  if (answer.replay) headers.push('Idempotent-Replayed', 'true')
  response.writeHead(200, headers)
  response.end(answer.body)
  needs.callEnded({
    ...ended(needs, kind, progress),
    status: 200,
    code: null,
    source: answer.source,
    replay: answer.replay,
    credits: answer.credits?.charged ?? 0,
  })
}

async function sendFailure(
  needs: HttpNeeds,
  kind: Kind,
  response: ServerResponse,
  progress: Progress,
  failure: Failure,
): Promise<void> {
  if (failure.code === 'internal_error')
    needs.log.error({ err: failure.details.cause, requestId: progress.requestId }, 'a call failed unexpectedly')
  const { status, headers: own, body } = failureAnswer(failure, progress.requestId)
  const headers = baseHeaders(progress)
  for (const [name, value] of Object.entries(own)) headers.push(name, value)
  headers.push('Content-Length', String(Buffer.byteLength(body)))
  if (progress.rate && progress.caller?.mode === 'live')
    pushCredits(headers, await needs.standingOf(progress.caller, failure.code))
  response.writeHead(status, headers)
  response.end(body)
  needs.callEnded({
    ...ended(needs, kind, progress),
    status,
    code: failure.code,
    source: null,
    replay: null,
    credits: 0,
  })
}

function baseHeaders({ requestId, rate }: Progress): string[] {
  const headers = [
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'private, no-store',
    'Vary',
    'ApiKey',
    'X-Content-Type-Options',
    'nosniff',
  ]
  if (rate) {
    headers.push('X-RateLimit-Limit', String(rate.limit), 'X-RateLimit-Remaining', String(rate.remaining))
    headers.push('X-RateLimit-Reset', String(rate.resetSeconds))
  }
  return headers
}

function pushCredits(headers: string[], standing: { available: number; ceilingRemaining: number | null } | null): void {
  if (!standing) return
  headers.push('X-Credits-Remaining', String(standing.available))
  if (standing.ceilingRemaining !== null) headers.push('X-Credits-Ceiling-Remaining', String(standing.ceilingRemaining))
}

function ended(needs: HttpNeeds, kind: Kind, { requestId, startedAt, caller }: Progress) {
  return { requestId, kind, caller, startedAt, durationMs: needs.clock.now() - startedAt }
}
