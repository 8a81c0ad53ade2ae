import { type DataSource, failures, type FailureCode, type Kind } from '@vitae/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { type FoundRecord, type ToolApi, ToolFailure, type ToolQuery } from '../../mcp/tool-api.ts'
import type { HttpDeps } from '../exchange/deps.ts'
import { keyOf } from '../lookup/caller-headers.ts'
import { readFilledFrom } from '../lookup/filled-from.ts'
import { isGoneOf } from '../lookup/lookup-routes.ts'
import { serveLookup } from '../lookup/serve-lookup.ts'

/** The response of a route that was called inside this process. */
interface RouteAnswer {
  status: number
  headers: ReadonlyMap<string, string>
  body: string
}

/**
 * The API of tools over HTTP. It calls the public routes with the caller's key and address, so permissions, limits,
 * charges and the call log apply.
 */
export function inProcessApi(app: FastifyInstance, deps: HttpDeps, caller: Caller, request: FastifyRequest): ToolApi {
  // The route counts the call in the rate limit, so the MCP message must not count as well.
  const uncount = async () => deps.limiter.giveBack(caller.keyId, caller.rate)
  // A route does not count calls that it refuses with 401 or 403, so the message counts instead.
  const countRefused = async (answer: RouteAnswer) => {
    if (answer.status === 401 || answer.status === 403) await deps.limiter.take(caller.keyId, caller.rate)
    return answer
  }
  return {
    spendingRefusal: caller.mode === 'live' && !caller.hasDailyCeiling ? noCeiling(caller) : null,
    async lookup(kind, query) {
      await uncount()
      return foundIn(await countRefused(await lookUp(deps, kind, query, request)))
    },
    async match(kind, held) {
      await uncount()
      return matchedIn(await countRefused(await askRoute(app, `/v1/${kind}/match`, request, held)))
    },
    async read(path, query) {
      await uncount()
      const url = `${path}?${new URLSearchParams(query).toString()}`
      const { headers, body } = succeeded(await countRefused(await askRoute(app, url, request)))
      const charged = Number(headers.get('x-credits-charged') ?? 0)
      return { body: JSON.parse(body) as Record<string, unknown>, charged }
    },
    async left() {
      const remaining = caller.mode === 'live' ? await deps.remainingCreditsOf(caller, 'not_found') : null
      return remaining && Math.max(0, Math.min(remaining.available, remaining.ceilingRemaining ?? Infinity))
    },
  }
}

function noCeiling({ keyId }: Caller): string {
  return `This key has no daily ceiling, and over HTTP tools that cost credits need one. Set it with "vitae keys update ${keyId} --daily-ceiling 100", in the console, or by PATCH /admin/v1/keys/${keyId} with {"daily_ceiling":100}.`
}

function lookUp(deps: HttpDeps, kind: Kind, query: ToolQuery, request: FastifyRequest): Promise<RouteAnswer> {
  const { headers, socket } = request
  const search = new URLSearchParams(query).toString()
  const asked = {
    apiKey: keyOf(request.raw),
    idempotencyKey: undefined,
    spendTag: headers['x-spend-tag']?.toString(),
    cacheControl: undefined,
    forwardedFor: headers['x-forwarded-for']?.toString(),
    accept: undefined,
    coding: null,
  }
  return new Promise((resolve, reject) => {
    const reply = (status: number, head: string, body: { toBuffer(): Buffer }) =>
      resolve({ status, headers: headerMap(head), body: body.toBuffer().toString() })
    const lookup = { kind, search, headers: asked, peer: socket.remoteAddress ?? '' }
    serveLookup(deps, lookup, reply, isGoneOf(request.raw)).catch(reject)
  })
}

/** Sends a GET to a route, or a POST if there is a body. */
async function askRoute(
  app: FastifyInstance,
  url: string,
  { raw, headers, socket }: FastifyRequest,
  body?: Record<string, unknown>,
): Promise<RouteAnswer> {
  const apikey = keyOf(raw)
  const forwardedFor = headers['x-forwarded-for']
  const spendTag = headers['x-spend-tag']
  const answer = await app.inject({
    url,
    ...(body ? { method: 'POST', payload: body } : {}),
    headers: {
      ...(apikey ? { apikey } : {}),
      ...(forwardedFor ? { 'x-forwarded-for': forwardedFor } : {}),
      ...(body && spendTag ? { 'x-spend-tag': spendTag } : {}),
    },
    remoteAddress: socket.remoteAddress ?? '',
  })
  const sent = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const)
  return { status: answer.statusCode, headers: new Map(sent), body: answer.body }
}

function headerMap(head: string): ReadonlyMap<string, string> {
  const lines = head.split('\r\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
    }),
  )
}

function foundIn(answer: RouteAnswer): FoundRecord {
  const { headers, body } = succeeded(answer)
  return {
    record: JSON.parse(body) as Record<string, unknown>,
    // Every record response has these three headers.
    source: headers.get('x-data-source') as DataSource,
    fetchedAt: headers.get('x-fetched-at') ?? '',
    ageSeconds: Number(headers.get('x-data-age-seconds')),
    sourceUpdatedAt: headers.get('x-source-updated-at') ?? null,
    thin: headers.get('x-record-thin') === 'true',
    filledFrom: readFilledFrom(headers.get('x-filled-from') ?? ''),
    charged: Number(headers.get('x-credits-charged') ?? 0),
  }
}

function matchedIn(answer: RouteAnswer): FoundRecord {
  const found = foundIn(answer)
  const likelihood = answer.headers.get('x-match-likelihood')
  const matchedOn = answer.headers.get('x-matched-on')?.split(', ') ?? []
  return { ...found, match: { likelihood: likelihood === undefined ? null : Number(likelihood), matchedOn } }
}

/** Returns a successful response, or throws its failure for the tool. */
function succeeded(answer: RouteAnswer): RouteAnswer {
  const { status, headers, body } = answer
  if (status === 200) return answer
  const retryAfter = headers.get('retry-after')
  const { code, detail } = (headers.get('content-type') ?? '').includes('problem')
    ? (JSON.parse(body) as { code: string; detail: string })
    : { code: body, detail: failures[body as FailureCode]?.title ?? body }
  throw new ToolFailure(code, detail, retryAfter === undefined ? null : Number(retryAfter))
}
