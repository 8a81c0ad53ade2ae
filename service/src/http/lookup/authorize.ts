import type { Kind } from '@vitae/contract'
import { type Caller, endOf, lackOf } from '../../accounts/caller.ts'
import type { RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import { Failure, plainFailure } from '../../foundation/failure.ts'
import type { LookupRequest, Progress } from '../exchange/lookup-request.ts'
import type { HttpDeps } from '../exchange/deps.ts'
import { asksForPart } from '../exchange/parse-lookup.ts'

/** The admitted caller, or the refusal. It is returned because throwing would double the cost of a refusal. */
type Verdict = Caller | Failure

/** The request facts that a key is checked against; `kind` is null for routes about no kind. */
type KeyRequest = Pick<LookupRequest, 'headers' | 'peer' | 'search'> & { kind: Kind | null }

/** Checks that the key exists, has permission and is within its rate limit. Synchronous for a cached key. */
export function authorize(deps: HttpDeps, request: LookupRequest, progress: Progress): Verdict | Promise<Verdict> {
  return authorizeKey(deps, request, progress, true)
}

/** The same check for every route. Routes that spend nothing stay open while billing is blocked. */
export function authorizeKey(
  deps: HttpDeps,
  request: KeyRequest,
  progress: Progress,
  spends: boolean,
): Verdict | Promise<Verdict> {
  const { apiKey } = request.headers
  const known = apiKey === undefined ? undefined : deps.keyCache.known(apiKey)
  if (!known) return authorizeUnknown(deps, request, progress, spends)
  const ended = endOf(known, deps.clock.now())
  if (ended) return plainFailure(ended)
  return checkCaller(deps, request, progress, known, spends)
}

async function authorizeUnknown(
  deps: HttpDeps,
  request: KeyRequest,
  progress: Progress,
  spends: boolean,
): Promise<Verdict> {
  const caller = await authenticate(deps, request)
  return caller instanceof Failure ? caller : checkCaller(deps, request, progress, caller, spends)
}

function checkCaller(
  deps: HttpDeps,
  request: KeyRequest,
  progress: Progress,
  caller: Caller,
  spends: boolean,
): Verdict | Promise<Verdict> {
  progress.caller = caller
  const { kind, search } = request
  const refusal = lackOf(caller, {
    kind,
    spends,
    asks: caller.parts ? (part) => asksForPart(search, part) : undefined,
    address: caller.networks ? addressOf(deps, request) : undefined,
  })
  if (refusal) return refuse(deps, progress, caller, plainFailure(refusal))
  const taken = deps.limiter.take(caller.keyId, caller.rate)
  return taken instanceof Promise
    ? taken.then((rate) => withinRate(progress, caller, rate))
    : withinRate(progress, caller, taken)
}

function withinRate(progress: Progress, caller: Caller, rate: RateVerdict): Verdict {
  progress.rate = rate
  return rate.allowed ? caller : rateLimited(rate.resetSeconds)
}

const refusals = new Map<number, Failure>()
const refusalsAtMost = 4_000

/** 429 failures, cached by Retry-After. */
function rateLimited(retryAfterSeconds: number): Failure {
  const known = refusals.get(retryAfterSeconds)
  if (known) return known
  const failure = new Failure('rate_limit_exceeded', { retryAfterSeconds })
  if (refusals.size < refusalsAtMost) refusals.set(retryAfterSeconds, failure)
  return failure
}

/** A refused call does not count, but its response reports the state of the rate limit. */
async function refuse(deps: HttpDeps, progress: Progress, caller: Caller, failure: Failure): Promise<Failure> {
  progress.rate = await deps.limiter.peek(caller.keyId, caller.rate)
  return failure
}

async function authenticate(deps: HttpDeps, request: KeyRequest): Promise<Verdict> {
  const { apiKey } = request.headers
  const found = apiKey === undefined || apiKey === '' ? plainFailure('missing_api_key') : await findCaller(deps, apiKey)
  const counts = found instanceof Failure && (found.code === 'missing_api_key' || found.code === 'invalid_api_key')
  if (!counts) return found
  const verdict = await deps.limiter.take(`address/${addressOf(deps, request)}`, deps.unauthorizedRate)
  return verdict.allowed ? found : rateLimited(verdict.resetSeconds)
}

async function findCaller({ keyCache, clock }: HttpDeps, apiKey: string): Promise<Verdict> {
  try {
    const caller = await keyCache.find(apiKey)
    const ended = endOf(caller, clock.now())
    return ended ? plainFailure(ended) : caller
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/**
 * The caller's address: the nearest one that is not a trusted proxy. Each proxy appends the address it saw, so only
 * entries added by a trusted proxy are believed. Computed on demand, because few calls need it.
 */
export function addressOf(
  { trustedProxies }: HttpDeps,
  { peer, headers: { forwardedFor } }: Pick<LookupRequest, 'peer' | 'headers'>,
): string {
  if (trustedProxies === null || forwardedFor === undefined) return peer
  let address = peer
  for (const claimed of forwardedFor.split(',').reverse()) {
    if (!trustedProxies.includes(address)) return address
    address = claimed.trim() || address
  }
  return address
}

/** The initial progress of a call. */
export function newProgress(requestId: string, startedAt: number): Progress {
  return { requestId, startedAt, caller: null, rate: null, ignoredParameters: null, spendTag: null, tagCountedAs: null }
}
