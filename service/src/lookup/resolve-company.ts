import { identifierKey } from '../foundation/identifier.ts'
import type { CompanyCandidate, CompanyMatches, DataSource } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { Failure } from '../foundation/failure.ts'
import type { SiteDomain } from '../records/identifiers/site-domain.ts'
import { answerLookup } from './answer-lookup.ts'
import { answerSample } from './answer-sample.ts'
import type { LookupDeps } from './deps.ts'
import { type Lookup, newLookup } from './lookup.ts'
import { accepted, askLedger, callOf, payment } from './pay.ts'
import { companiesOfSite, type CompanyOfSite } from './match/companies-of-site.ts'
import { companyIn } from './match/company-facts.ts'
import type { ReadyRecord } from './record-cache.ts'

/** A question for the company of a domain. */
export interface ResolveAsk {
  requestId: string
  startedAt: number
  site: SiteDomain
  idempotencyKey: string | null
  spendTag: string | null
  isGone: () => boolean
}

export interface Resolved {
  matches: CompanyMatches
  /** Null with a test key. */
  charged: number | null
  replayed: boolean
}

/**
 * The companies whose own site is at a domain: from the store, or else from a provider that can be asked by it. What a
 * provider finds is fetched and kept like any company. Charged like a lookup, and nothing is charged for a 404.
 */
export async function resolveCompany(deps: LookupDeps, caller: Caller, ask: ResolveAsk): Promise<Resolved> {
  if (caller.mode === 'test') return resolveSample(deps, ask)
  const known = await companiesOfSite(deps, caller.route, ask.site)
  const [first] = known
  return first ? chargeStored(deps, caller, ask, known, first.record) : askProviders(deps, caller, ask)
}

/** One step, as for a stored record. Free unless the operator has set a price for it. */
async function chargeStored(
  deps: LookupDeps,
  caller: Caller,
  ask: ResolveAsk,
  found: readonly CompanyOfSite[],
  record: ReadyRecord,
): Promise<Resolved> {
  // The idempotency record of the lookup by domain: a retry is one, wherever the first answer came from.
  // A resolution neither is a repeat of a record nor pays for one.
  const rules = { ...deps.rules, repeatFreeDays: 0 }
  const charge = payment(
    'charge',
    { ...deps, rules },
    callOf(deps, caller, lookupOf(ask)),
    record,
    { source: 'store' },
    record,
  )
  const paid = accepted(await askLedger(deps, charge))
  if (paid.outcome === 'running') throw new Failure('request_in_progress', { retryAfterSeconds: 2 })
  const candidates = found.map(({ candidate }) => candidate)
  const replayed = paid.outcome === 'replay'
  return { matches: matchesOf(ask, 'store', candidates), charged: replayed ? 0 : paid.charged, replayed }
}

/** A lookup of the company by its domain, at the price of a resolution. */
async function askProviders(deps: LookupDeps, caller: Caller, ask: ResolveAsk): Promise<Resolved> {
  const answer = await answerLookup(deps, caller, lookupOf(ask))
  const { facts } = companyIn(answer.body.toBuffer())
  const candidates: CompanyCandidate[] = [{ ...facts, matched: 'provider' }]
  const { source, credits, replay } = answer
  return { matches: matchesOf(ask, source, candidates), charged: credits?.charged ?? 0, replayed: replay !== null }
}

function lookupOf({ requestId, startedAt, site, idempotencyKey, spendTag, isGone }: ResolveAsk): Lookup {
  const identifier = { kind: 'companies', type: 'domain', value: site.domain } as const
  const pricedAs = { kind: 'resolve' } as const
  return newLookup({ requestId, startedAt, identifier, idempotencyKey, spendTag, isGone, pricedAs })
}

/** The first part of a domain names the sample: `sample-not-found.example` practises a 404. */
function resolveSample(deps: LookupDeps, ask: ResolveAsk): Resolved {
  const [value = ''] = ask.site.domain.split('.')
  const identifier = { kind: 'companies', type: 'slug', value } as const
  const answer = answerSample(deps, { ...lookupOf(ask), identifier, name: identifierKey(identifier) })
  const { facts } = companyIn(answer.body.toBuffer())
  const candidates: CompanyCandidate[] = [{ ...facts, matched: 'provider' }]
  return { matches: matchesOf(ask, answer.source, candidates), charged: null, replayed: false }
}

function matchesOf(
  { site: { domain } }: ResolveAsk,
  source: DataSource,
  candidates: readonly CompanyCandidate[],
): CompanyMatches {
  return { domain, source, candidates: [...candidates] }
}
