import { type Kind, kinds, type Preflight } from '@vitae/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeAccount } from '../../lookup/account.ts'
import { preflightFor, type Preflight as PreflightFacts } from '../../lookup/preflight.ts'
import type { HttpDeps } from '../deps.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import { lookupPaths, requestOf } from '../lookup/lookup-routes.ts'
import { callerRoute } from './caller-route.ts'
import { newProgress } from '../lookup/authorize.ts'

/** What a key may do and spend, and what a lookup would cost. Free, and counted by the rate limit. */
export function accountRoutes(app: FastifyInstance, deps: HttpDeps): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/account',
    async handle({ caller, rate }) {
      // Only an unknown key has no rate limit, and it does not get here.
      return describeAccount(deps.lookup, caller, rate ?? (await deps.limiter.peek(caller.keyId, caller.rate)))
    },
  })
  for (const kind of kinds) preflightRoute(app, deps, kind)
}

function preflightRoute(app: FastifyInstance, deps: HttpDeps, kind: Kind): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: `${lookupPaths[kind]}/preflight`,
    kind,
    readsQuery: true,
    async handle(call) {
      const lookup = parseLookup(deps, kind, call)
      return preflightView(await preflightFor(deps.lookup, call.caller, lookup))
    },
  })
}

/** A pre-flight as callers see it. */
export function preflightView(expected: PreflightFacts): Preflight {
  const { source, ageSeconds, price, maxPrice, refused, asksProvider } = expected
  return { source, age_seconds: ageSeconds, price, max_price: maxPrice, refused, asks_provider: asksProvider }
}

/** Reads the query and the headers as the lookup itself does, and names what was ignored. */
function parseLookup(
  deps: HttpDeps,
  kind: Kind,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Lookup {
  const progress = newProgress(request.id, deps.clock.now())
  try {
    return deps.lookupParser.parse(requestOf(kind, request.raw), progress)
  } finally {
    if (progress.ignoredParameters !== null) reply.header('X-Ignored-Parameters', progress.ignoredParameters)
  }
}
