import { ResolveQuery } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import { parseIdempotencyKey } from '../../credits/idempotency-key.ts'
import { siteDomain } from '../../records/identifiers/site-domain.ts'
import { resolveCompany } from '../../lookup/resolve-company.ts'
import type { HttpDeps } from '../deps.ts'
import { isGoneOf } from '../lookup/lookup-routes.ts'
import { parseSpendTag } from '../lookup/parse-lookup.ts'
import { invalidParameter } from '../validate.ts'
import { callerRoute } from './caller-route.ts'

/** From a domain to its company. */
export function resolveRoutes(app: FastifyInstance, deps: HttpDeps): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/companies/resolve',
    kind: 'companies',
    spends: true,
    isPaid: true,
    query: ResolveQuery,
    async handle({ caller, query, request, reply }) {
      const site = siteDomain(query.domain)
      if (!site) throw invalidParameter('domain', 'must be a domain such as example.com, or a URL with one')
      const given = parseSpendTag(request.headers['x-spend-tag']?.toString())
      const isCounted = given !== null && caller.mode === 'live'
      const spendTag = isCounted ? await deps.lookup.spendTags.countedAs(caller.environmentId, given) : given
      if (spendTag !== null && spendTag !== given) reply.header('X-Spend-Tag-Counted-As', spendTag)
      const { matches, charged, replayed } = await resolveCompany(deps.lookup, caller, {
        requestId: request.id,
        startedAt: deps.clock.now(),
        site,
        idempotencyKey: parseIdempotencyKey(request.headers['idempotency-key']),
        spendTag,
        isGone: isGoneOf(request.raw),
      })
      reply.header('X-Data-Source', matches.source)
      if (charged !== null) reply.header('X-Credits-Charged', charged)
      if (replayed) reply.header('Idempotent-Replayed', 'true')
      return matches
    },
  })
}
