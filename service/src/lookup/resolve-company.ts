import { identifierKey } from '../foundation/identifier.ts'
import type { CompanyMatches, CompanyCandidate } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { Failure } from '../foundation/failure.ts'
import type { SiteDomain } from '../records/identifiers/site-domain.ts'
import { answerLookup } from './answer-lookup.ts'
import { answerSample } from './answer-sample.ts'
import type { LookupDeps } from './payment/deps.ts'
import { type Lookup, type LookupAnswer, newLookup } from './asked/lookup.ts'
import { accepted, askLedger, callOf, payment } from './payment/pay.ts'
import { companyIn, recallRecord } from './recall/recall-record.ts'
import type { ReadyRecord } from './recall/record-cache.ts'
import type { Route } from '../foundation/environments/route.ts'

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
 * Finds the companies whose own site is at a domain: in the store, or else through a provider that can search by
 * domain. A company that a provider finds is stored like any other. The call is charged like a lookup; a 404 is free.
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

/** Charges in one step, as for a stored record. It is free unless the operator has set a price. */
async function chargeStored(
  deps: LookupDeps,
  caller: Caller,
  lookup: Lookup,
  found: readonly CompanyOfSite[],
  record: ReadyRecord,
): Promise<Resolved> {
  // Uses the idempotency record of the lookup by domain, so that a retry is recognised wherever the first answer came
  // from. A resolution does not count as a repeat of a record, nor does it make later calls free.
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

/** The single company that a provider's record describes. */
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

/** The first part of the domain selects the sample: `sample-not-found.example` simulates a 404. */
function resolveSample(deps: LookupDeps, site: SiteDomain, lookup: Lookup): Resolved {
  const [value = ''] = site.domain.split('.')
  const identifier = { kind: 'companies', type: 'slug', value } as const
  return resolvedBy(site, answerSample(deps, { ...lookup, identifier, name: identifierKey(identifier) }))
}

/** A stored company whose own site is at a domain. */
interface CompanyOfSite {
  key: string
  record: ReadyRecord
  candidate: CompanyCandidate
}

const companiesAtMost = 20

/**
 * Stored companies at a domain, exact hosts first. Suppressed or withdrawn copies, and those of providers off the
 * route, are left out.
 */
export async function companiesOfSite(deps: LookupDeps, route: Route, site: SiteDomain): Promise<CompanyOfSite[]> {
  const keys = await deps.store.records.companiesBySite({ domain: site.domain, limit: companiesAtMost })
  const found = await Promise.all(keys.map((key) => companyOfSite(deps, route, key, site)))
  const isExact = (one: CompanyOfSite) => one.candidate.matched === 'host'
  return found.flatMap((one) => one ?? []).toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)))
}

async function companyOfSite(
  deps: LookupDeps,
  route: Route,
  key: string,
  site: SiteDomain,
): Promise<CompanyOfSite | null> {
  const identifier = { kind: 'companies', type: 'id', value: key } as const
  const { record } = await recallRecord(deps, { identifier, name: identifierKey(identifier) }, route)
  if (!record) return null
  const { own, facts } = companyIn(record.body)
  return { key, record, candidate: { ...facts, matched: own?.host === site.host ? 'host' : 'domain' } }
}
