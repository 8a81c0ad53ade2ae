import type { AdminQuery } from '@vitae/contract/admin'
import type { Kind } from '@vitae/contract'
import type { FastifyRequest } from 'fastify'
import { Failure, keyRefusals, outOfMoney } from '../../../foundation/failure.ts'
import { type Lookup, newLookup } from '../../../lookup/asked/lookup.ts'
import { operatorLookup, preflight } from '../../../lookup/preflight.ts'
import { parseIdentifier } from '../../../records/identifiers/parse-identifier.ts'
import { cutBody } from '../../../records/body/record-bytes.ts'
import type { AppDeps } from '../../exchange/deps.ts'
import { noteAccess } from '../../../operators/find-record.ts'
import { timeWithOffset } from '../../lookup/serve-lookup.ts'
import type { AdminHandlers } from '../route/admin-route.ts'

type Query = AdminQuery<'lookUp'>

export const lookupHandlers = {
  async lookUp({ admin, params: { kind }, query, request, reply }, deps) {
    const lookup = readLookup(deps, kind, query, request)
    if (query.dry_run) return dryRun(deps, query, lookup, request)
    const { record, source } = await operatorLookup(deps.lookup, lookup)
    await noteAccess(deps, admin, 'record.lookup', record)
    const age = source === 'live' ? 0 : Math.max(0, Math.floor((deps.clock.now() - record.fetchedAt) / 1_000))
    reply.headers({
      'X-Data-Source': source,
      'X-Fetched-At': timeWithOffset(record.fetchedAt),
      'X-Data-Age-Seconds': String(age),
    })
    return reply.type('application/json; charset=utf-8').send(cutBody(record, lookup.include).toBuffer())
  },
} satisfies Partial<AdminHandlers>

function readLookup(deps: AppDeps, kind: Kind, query: Query, request: FastifyRequest): Lookup {
  return newLookup({
    requestId: request.id,
    startedAt: deps.clock.now(),
    identifier: parseIdentifier(kind, query.id, deps.platformHosts),
    include: {
      contact: query.include_contact_info ?? false,
      network: query.include_network_info ?? false,
      verifications: query.get_verification_details ?? false,
    },
    freshness: { maxAgeDays: query.max_age_days ?? null, bypassCache: query.bypass_cache ?? false },
  })
}

async function dryRun(deps: AppDeps, query: Query, lookup: Lookup, request: FastifyRequest) {
  const payer = await payerOf(deps, query.key_id, request.headers['apikey'])
  // Test keys always get a sample.
  if (payer?.mode === 'test')
    return {
      source: 'live' as const,
      age_seconds: 0,
      cost: 0,
      max_cost: 0,
      would_exceed: false,
      provider_cost_at_most: null,
    }
  const expected = await preflight(deps.lookup, payer, lookup)
  const { source, ageSeconds, price, maxPrice, refused, providerCostAtMost = null } = expected
  if (keyRefusals.some((code) => code === refused))
    throw new Failure('conflict', { detail: `A call with this key would be refused: ${refused}.` })
  const wouldExceed = outOfMoney.some((code) => code === refused)
  return {
    source,
    age_seconds: ageSeconds,
    cost: price,
    max_cost: maxPrice,
    would_exceed: wouldExceed,
    provider_cost_at_most: providerCostAtMost,
  }
}

async function payerOf(deps: AppDeps, keyId: string | undefined, key: string | string[] | undefined) {
  if (keyId !== undefined) return deps.store.keys.payerOfKey({ id: keyId })
  if (typeof key !== 'string') return null
  return deps.keyCache.find(key)
}
