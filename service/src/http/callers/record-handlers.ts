import type { Kind, Preflight, recordOperations } from '@vitae/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/caller.ts'
import { answerForKey } from '../../lookup/ended-call.ts'
import type { Lookup } from '../../lookup/asked/lookup.ts'
import { preflightFor, type Preflight as PreflightFacts } from '../../lookup/preflight.ts'
import { resolution, resolveCompany } from '../../lookup/resolve-company.ts'
import { historyOf } from '../../own-calls/history.ts'
import { provenanceOf } from '../../own-calls/provenance.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { sampleHistory } from '../../watches/sample-watches.ts'
import type { AppDeps, HttpDeps } from '../exchange/deps.ts'
import { newProgress } from '../lookup/authorize.ts'
import { isGoneOf, requestOf } from '../lookup/lookup-routes.ts'
import { parseIdempotencyKey, parseSpendTag } from '../exchange/parse-lookup.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import { leaveToLookup, type CallerCall, type Handlers } from './caller-route.ts'

const versionsAtOnce = 20

/** Facts about a record, and the price of a lookup. */
export function recordHandlers(deps: AppDeps): Handlers<typeof recordOperations> {
  return {
    preflightPersonProfile: (call) => preflight(deps, 'people', call),
    preflightCompanyDetails: (call) => preflight(deps, 'companies', call),
    resolveCompany: (call) => resolve(deps, call),
    getPersonHistory: ({ caller, query }) => history(deps, caller, 'people', query.profile_id, query),
    getCompanyHistory: ({ caller, query }) => history(deps, caller, 'companies', query.company_id, query),
    getPersonProvenance: ({ caller, query: { profile_id: id } }) =>
      provenanceOf(deps, caller, parseIdentifier('people', id, deps.platformHosts)),
    getCompanyProvenance: ({ caller, query: { company_id: id } }) =>
      provenanceOf(deps, caller, parseIdentifier('companies', id, deps.platformHosts)),
  }
}

/** The history of a record. Test keys get samples. */
async function history(
  deps: AppDeps,
  caller: Caller,
  kind: Kind,
  id: string,
  { before = null, limit = versionsAtOnce }: { before?: number | null; limit?: number },
) {
  const identifier = parseIdentifier(kind, id, deps.platformHosts)
  const page = { before, limit }
  return caller.mode === 'test'
    ? sampleHistory(deps.lookup, identifier, page)
    : historyOf(deps, caller, identifier, page)
}

interface RawCall {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
}

async function preflight(deps: HttpDeps, kind: Kind, call: RawCall): Promise<Preflight> {
  const lookup = parseLookup(deps, kind, call)
  return preflightView(await preflightFor(deps.lookup, call.caller, lookup))
}

/** The public form of a pre-flight. */
export function preflightView(expected: PreflightFacts): Preflight {
  const { source, ageSeconds, price, maxPrice, refused, asksProvider } = expected
  return { source, age_seconds: ageSeconds, price, max_price: maxPrice, refused, asks_provider: asksProvider }
}

/** Parses query and headers like a lookup, and reports ignored parameters. */
function parseLookup(deps: HttpDeps, kind: Kind, { request, reply }: RawCall): Lookup {
  const progress = newProgress(request.id, deps.clock.now())
  try {
    return deps.lookupParser.parse(requestOf(kind, request.raw), progress)
  } finally {
    if (progress.ignoredParameters !== null) reply.header('X-Ignored-Parameters', progress.ignoredParameters)
  }
}

/** Resolves a domain to its company. */
async function resolve(
  deps: HttpDeps,
  { caller, query, request, reply }: CallerCall<typeof recordOperations.resolveCompany>,
) {
  const site = siteDomain(query.domain)
  if (!site) throw invalidParameter('domain', 'must be a domain such as example.com, or a URL with one')
  const given = parseSpendTag(request.headers['x-spend-tag']?.toString())
  const lookup = resolution(site, {
    requestId: request.id,
    startedAt: deps.clock.now(),
    idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
    spendTag: given,
    isGone: isGoneOf(request.raw),
  })
  leaveToLookup(request)
  const resolved = await answerForKey(deps, caller, lookup, (counted) =>
    resolveCompany(deps.lookup, caller, site, counted),
  )
  if (given && lookup.spendTag && lookup.spendTag !== given) reply.header('X-Spend-Tag-Counted-As', lookup.spendTag)
  const { matches, credits, replay } = resolved
  reply.header('X-Data-Source', matches.source)
  if (credits) reply.header('X-Credits-Charged', credits.charged)
  if (replay) reply.header('Idempotent-Replayed', 'true')
  return matches
}
