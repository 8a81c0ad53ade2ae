import { identifierKey } from '../foundation/identifier.ts'
import type { CompanyMatches } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { Failure } from '../foundation/failure.ts'
import type { SiteDomain } from '../records/identifiers/site-domain.ts'
import { answerLookup } from './answer-lookup.ts'
import { answerSample } from './answer-sample.ts'
import type { LookupDeps } from './deps.ts'
import { type Lookup, type LookupAnswer, newLookup } from './lookup.ts'
import { accepted, askLedger, callOf, payment } from './pay.ts'
import { companiesOfSite, type CompanyOfSite } from './match/companies-of-site.ts'
import { companyIn } from './match/company-facts.ts'
import type { ReadyRecord } from './record-cache.ts'

/** The companies that were found, and what the call that found them cost. */
export interface Resolved extends Pick<LookupAnswer, 'source' | 'entityId' | 'replay' | 'credits'> {
  matches: CompanyMatches
}

/** The lookup of a company by its domain, at the price of a resolution. */
export function resolution(
  site: SiteDomain,
  asked: Pick<Lookup, 'requestId' | 'startedAt' | 'idempotencyKey' | 'spendTag' | 'isGone'>,
): Lookup {
  const identifier = { kind: 'companies', type: 'domain', value: site.domain } as const
  return newLookup({ ...asked, identifier, pricedAs: { kind: 'resolve' } })
}

/**
 * The companies whose own site is at a domain: from the store, or else from a provider that can be asked by it. What a
 * provider finds is fetched and kept like any company. Charged like a lookup, and nothing is charged for a 404.
 */
export async function resolveCompany(
  deps: LookupDeps,
  caller: Caller,
  site: SiteDomain,
  lookup: Lookup,
): Promise<Resolved> {
  if (caller.mode === 'test') return resolveSample(deps, site, lookup)
  lookup.since = deps.fetchOutcomes.mark
  const known = await companiesOfSite(deps, caller.route, site)
  const [first] = known
  if (first) return chargeStored(deps, caller, lookup, known, first.record)
  return resolvedBy(site, await answerLookup(deps, caller, lookup))
}

/** One step, as for a stored record. Free unless the operator has set a price for it. */
async function chargeStored(
  deps: LookupDeps,
  caller: Caller,
  lookup: Lookup,
  found: readonly CompanyOfSite[],
  record: ReadyRecord,
): Promise<Resolved> {
  // The idempotency record of the lookup by domain: a retry is one, wherever the first answer came from.
  // A resolution neither is a repeat of a record nor pays for one.
  const rules = { ...deps.rules, repeatFreeDays: 0 }
  const call = callOf(deps, caller, lookup)
  const charge = payment('charge', { ...deps, rules }, call, record, { source: 'store' }, record)
  const paid = accepted(await askLedger(deps, charge))
  if (paid.outcome === 'running') throw new Failure('request_in_progress', { retryAfterSeconds: 2 })
  const { entityId, versionId, fetchId } = record
  return {
    matches: {
      domain: lookup.identifier.value,
      source: 'store',
      candidates: found.map(({ candidate }) => candidate),
    },
    source: 'store',
    entityId,
    replay:
      paid.outcome === 'replay'
        ? { requestId: paid.requestId, entityId, versionId, foldId: record.fold?.id ?? null, fetchId }
        : null,
    credits: paid.outcome === 'replay' ? { ...paid, charged: 0 } : paid,
  }
}

/** The one company that a record of a provider is about. */
function resolvedBy({ domain }: SiteDomain, { body, source, entityId, replay, credits }: LookupAnswer): Resolved {
  const { facts } = companyIn(body.toBuffer())
  return {
    matches: { domain, source, candidates: [{ ...facts, matched: 'provider' }] },
    source,
    entityId,
    replay,
    credits,
  }
}

/** The first part of a domain names the sample: `sample-not-found.example` practises a 404. */
function resolveSample(deps: LookupDeps, site: SiteDomain, lookup: Lookup): Resolved {
  const [value = ''] = site.domain.split('.')
  const identifier = { kind: 'companies', type: 'slug', value } as const
  return resolvedBy(site, answerSample(deps, { ...lookup, identifier, name: identifierKey(identifier) }))
}
