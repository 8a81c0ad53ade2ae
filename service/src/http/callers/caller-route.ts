import { Readable } from 'node:stream'
import { routeParts, type Kind, type PublicRow } from '@vitae/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Caller } from '../../accounts/caller.ts'
import type { RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import { Failure, plainFailure, type AnyFailureCode, invalidParameter } from '../../foundation/failure.ts'
import { codedBody, codingIn, compressStream } from '../../foundation/compress.ts'
import type { HttpDeps } from '../exchange/deps.ts'
import { fromFastify } from '../exchange/failure-response.ts'
import { addressOf, authorizeKey, newProgress } from '../lookup/authorize.ts'
import { keyOf } from '../lookup/caller-headers.ts'
import type { LookupRequest, Progress } from '../exchange/lookup-request.ts'
import { searchOf } from '../lookup/lookup-routes.ts'
import { meansExpectation } from '../../lookup/asked/expectations.ts'
import { nameIgnored } from '../exchange/parse-lookup.ts'
import { validate } from '../exchange/validate.ts'
import { uploadRoutes } from './batch-request.ts'
import { isLost } from './upload.ts'

/** The part of an operation's row that registration uses. */
type RouteRow = Pick<PublicRow, 'route'> & Partial<PublicRow>

type Given<Row, Part extends string> = Row extends Record<Part, infer S extends TSchema> ? Static<S> : undefined

export interface CallerCall<Row> {
  caller: Caller
  /** The state of the key's rate limit after this call. */
  rate: RateVerdict | null
  params: Given<Row, 'params'>
  query: Row extends { readsQuery: true } ? undefined : Given<Row, 'query'>
  body: Row extends { uploads: readonly string[] } ? undefined : Given<Row, 'body'>
  request: FastifyRequest
  reply: FastifyReply
}

/** Answers a call with a value, JSON as text or bytes, a stream, or the reply itself. */
type Handler<Row> = (
  call: CallerCall<Row>,
) => Promise<Given<Row, 'response'> | string | Buffer | Readable | FastifyReply>

/** Exactly one handler for each of these operations. */
export type Handlers<Rows> = { [Id in keyof Rows]: Handler<Rows[Id]> }

/** Requests whose lookup records its own failures (`answerForKey`). */
const noted = new WeakSet<FastifyRequest>()

/** Marks a request whose lookup records how it ends. */
export function leaveToLookup(request: FastifyRequest): void {
  noted.add(request)
}

/**
 * Registers one route for holders of an API key. Key, permissions and rate limit are checked before the body and the
 * query are read, so a bad key learns nothing. Every call counts in the key's rate limit.
 */
export function callerRoute<const Row extends RouteRow>(
  app: FastifyInstance,
  deps: HttpDeps,
  row: Row,
  handle: Handler<Row>,
): void {
  const head: RouteRow = row
  const { route, status = 200, params, query, body, uploads } = head
  const { kind = null, spends = false, isPaid = false, readsQuery = false } = head
  const known = new Set(Object.keys(query?.properties ?? {}))
  const calls = new WeakMap<FastifyRequest, Progress>()
  const bodyLimit = uploads ? Number.MAX_SAFE_INTEGER : head.bodyLimit
  const options: RouteOptions = {
    ...routeParts(route),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: {
      ...(params ? { params } : {}),
      ...(query && !readsQuery ? { querystring: query } : {}),
      ...(body && !uploads ? { body } : {}),
    },
    validatorCompiler: validate,
    serializerCompiler: () => (data) => JSON.stringify(data),
    async onRequest(request, reply) {
      const progress = newProgress(request.id, deps.clock.now())
      calls.set(request, progress)
      await admit(deps, request, reply, progress, { kind, spends })
      const names = readsQuery ? [] : Object.keys(request.query as object)
      const unknown = names.filter((name) => !known.has(name))
      // A misspelt expectation must not be ignored: the caller could receive the wrong person.
      const misspelt = unknown.find((name) => meansExpectation(name))
      if (misspelt !== undefined) throw invalidParameter(nameIgnored([misspelt]) ?? 'expect', 'is not known here')
      const ignored = nameIgnored(unknown)
      if (ignored !== null) reply.header('X-Ignored-Parameters', ignored)
    },
    async onSend(request, reply, payload) {
      const caller = calls.get(request)?.caller
      if (caller && !isLost(request.raw)) await setCreditHeaders(deps, reply, caller, null)
      return reply.statusCode < 400 ? compressed(request, reply, payload) : payload
    },
    async onError(request, _reply, error) {
      const progress = calls.get(request)
      const isNoted = noted.has(request) && (error as unknown) instanceof Failure
      if (isPaid && kind && progress && !isNoted) noteFailed(deps, kind, progress, fromFastify(error))
    },
    async handler(request, reply) {
      const { caller, rate } = calls.get(request) ?? {}
      if (!caller || rate === undefined) throw new Error('a route for callers was reached without a key')
      reply.code(status)
      if (!isPaid) await deps.freePace.wait(String(caller.environmentId))
      // Stop here if the caller has cancelled its upload.
      if (isLost(request.raw)) throw plainFailure('client_closed_request')
      // Fastify has validated these values against the schemas.
      const given = { params: request.params, query: request.query, body: request.body }
      return handle({ caller, rate, request, reply, ...given } as CallerCall<Row>)
    },
  }
  if (uploads) uploadRoutes(app, (scope) => void scope.route(options))
  else app.route(options)
}

/** Checks the key in the same order as a lookup, and sets the headers that every response to a caller has. */
async function admit(
  deps: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  progress: Progress,
  { kind, spends }: { kind: Kind | null; spends: boolean },
): Promise<void> {
  const asked = keyRequest(request)
  if (deps.guard.overloaded) throw new Failure('overloaded', { retryAfterSeconds: 1 })
  const verdict = await authorizeKey(deps, { ...asked, kind }, progress, spends)
  const { rate } = progress
  if (rate) {
    reply.headers({
      'X-RateLimit-Limit': rate.limit,
      'X-RateLimit-Remaining': rate.remaining,
      'X-RateLimit-Reset': rate.resetSeconds,
    })
  }
  if (!(verdict instanceof Failure)) return
  if (rate && progress.caller) await setCreditHeaders(deps, reply, progress.caller, verdict.code)
  await deps.refusalPace.wait(progress.caller?.keyId ?? addressOf(deps, asked))
  throw verdict
}

/** Records a paid call that failed outside its lookup (refused key, unreadable query), so that it has a receipt. */
function noteFailed(deps: HttpDeps, kind: Kind, progress: Progress, failure: Failure): void {
  const { requestId, caller, startedAt, spendTag } = progress
  deps.callEnded({
    requestId,
    kind,
    caller,
    startedAt,
    durationMs: deps.clock.now() - startedAt,
    status: failure.row.status,
    code: failure.code,
    source: null,
    entityId: null,
    replay: null,
    credits: 0,
    trace: null,
    broken: failure.details.broken,
    spendTag,
  })
}

/** The request facts for the key check. Routes that spend read the idempotency key, spend tag and Cache-Control themselves. */
function keyRequest({ raw, headers, socket, url }: FastifyRequest): Pick<LookupRequest, 'headers' | 'peer' | 'search'> {
  return {
    search: searchOf(url),
    headers: {
      apiKey: keyOf(raw),
      idempotencyKey: undefined,
      spendTag: undefined,
      cacheControl: undefined,
      forwardedFor: headers['x-forwarded-for']?.toString(),
      accept: undefined,
      coding: null,
    },
    peer: socket.remoteAddress ?? '',
  }
}

/** Compresses the response if the caller accepts a coding, the body is large enough, and it is not compressed yet. */
async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const coding = codingIn(request.headers['accept-encoding'])
  if (coding === null || reply.hasHeader('Content-Encoding')) return payload
  if (payload instanceof Readable) {
    reply.header('Content-Encoding', coding)
    return compressStream(payload, coding)
  }
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  const coded = await codedBody(payload, coding)
  if (coded.coding !== null) reply.header('Content-Encoding', coded.coding)
  return coded.bytes
}

/** Sets the remaining credits, as on every response to a live key. */
async function setCreditHeaders(
  deps: HttpDeps,
  reply: FastifyReply,
  caller: Caller,
  code: AnyFailureCode | null,
): Promise<void> {
  const left = caller.mode === 'live' ? await deps.remainingCreditsOf(caller, code) : null
  if (!left) return
  reply.header('X-Credits-Remaining', left.available)
  if (left.ceilingRemaining === null || left.ceilingResetsAt === null) return
  const seconds = Math.max(0, Math.ceil((left.ceilingResetsAt - deps.clock.now()) / 1_000))
  reply.headers({ 'X-Credits-Ceiling-Remaining': left.ceilingRemaining, 'X-Credits-Ceiling-Reset': seconds })
}
