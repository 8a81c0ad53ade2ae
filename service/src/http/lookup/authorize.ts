import type { Kind, PersonPart } from '@vitae/contract'
import type { Caller } from '../../accounts/key-cache.ts'
import type { RateVerdict } from '../../accounts/rate-limits/rate-limiter.ts'
import { Failure } from '../../foundation/failure.ts'
import { clientAddress } from '../client-address.ts'
import type { LookupRequest, Progress } from './lookup-request.ts'
import type { HttpDeps } from '../deps.ts'
import { asksForPart } from './parse-lookup.ts'

const parts: readonly PersonPart[] = ['network', 'contact', 'verifications']

/** Everything about the key: does it exist, may it do this, has it calls left. At once for a key that is known already. */
export function authorize(deps: HttpDeps, request: LookupRequest, progress: Progress): Caller | Promise<Caller> {
  const { apiKey } = request.headers
  const known = apiKey === undefined ? undefined : deps.keyCache.known(apiKey)
  if (!known) return authorizeUnknown(deps, request, progress)
  deps.keyCache.checkAlive(known)
  return checkCaller(deps, request, progress, known)
}

async function authorizeUnknown(deps: HttpDeps, request: LookupRequest, progress: Progress): Promise<Caller> {
  return checkCaller(deps, request, progress, await authenticate(deps, request))
}

function checkCaller(
  deps: HttpDeps,
  request: LookupRequest,
  progress: Progress,
  caller: Caller,
): Caller | Promise<Caller> {
  progress.caller = caller
  const refusal = permissionRefusal(deps, caller, request)
  if (refusal) return refuse(deps, progress, caller, new Failure(refusal))
  const taken = deps.limiter.take(caller.keyId, caller.rate)
  return taken instanceof Promise
    ? taken.then((rate) => withinRate(progress, caller, rate))
    : withinRate(progress, caller, taken)
}

function withinRate(progress: Progress, caller: Caller, rate: RateVerdict): Caller {
  progress.rate = rate
  if (!rate.allowed) throw rateLimited(rate.resetSeconds)
  return caller
}

const refusals = new Map<number, Failure>()
const refusalsAtMost = 4_000

/** The refusal of a call too many, made once for each number of seconds: in a flood, new errors would cost the most. */
function rateLimited(retryAfterSeconds: number): Failure {
  const known = refusals.get(retryAfterSeconds)
  if (known) return known
  const failure = new Failure('rate_limit_exceeded', { retryAfterSeconds })
  if (refusals.size < refusalsAtMost) refusals.set(retryAfterSeconds, failure)
  return failure
}

/** A refused call is not counted, but its answer says how the caller stands. */
async function refuse(deps: HttpDeps, progress: Progress, caller: Caller, failure: Failure): Promise<never> {
  progress.rate = await deps.limiter.peek(caller.keyId, caller.rate)
  throw failure
}

async function authenticate(deps: HttpDeps, request: LookupRequest): Promise<Caller> {
  const { apiKey } = request.headers
  try {
    if (apiKey === undefined || apiKey === '') throw new Failure('missing_api_key')
    const caller = await deps.keyCache.find(apiKey)
    deps.keyCache.checkAlive(caller)
    return caller
  } catch (error) {
    const counts = error instanceof Failure && (error.code === 'missing_api_key' || error.code === 'invalid_api_key')
    if (!counts) throw error
    const verdict = await deps.limiter.take(`address/${addressOf(deps, request)}`, deps.unauthorizedRate)
    if (verdict.allowed) throw error
    throw rateLimited(verdict.resetSeconds)
  }
}

function addressOf({ trustedProxies }: HttpDeps, { peer, headers }: LookupRequest): string {
  return clientAddress({ peer, forwardedFor: headers.forwardedFor }, trustedProxies)
}

function permissionRefusal(deps: HttpDeps, caller: Caller, request: LookupRequest) {
  const { kind, search } = request
  if (caller.suspended) return 'project_suspended'
  if (caller.billingBlocked) return 'billing_blocked'
  if (caller.networks && !caller.networks.includes(addressOf(deps, request))) return 'address_not_allowed'
  if (caller.endpoints && !caller.endpoints.has(kind)) return 'endpoint_not_allowed'
  return asksForbiddenPart(caller, kind, search) ? 'part_not_allowed' : null
}

function asksForbiddenPart({ parts: allowed }: Caller, kind: Kind, search: string): boolean {
  if (!allowed || kind !== 'people') return false
  return parts.some((part) => !allowed.has(part) && asksForPart(search, part))
}
