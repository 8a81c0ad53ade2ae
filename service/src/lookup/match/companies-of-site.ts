import { identifierKey } from '../../foundation/identifier.ts'
import type { CompanyCandidate } from '@vitae/contract'
import type { Route } from '../../foundation/environments/route.ts'
import type { SiteDomain } from '../../records/identifiers/site-domain.ts'
import type { LookupDeps } from '../deps.ts'
import { recallRecord } from '../recall-record.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { companyIn } from './company-facts.ts'

/** A stored company whose own site is at a domain. */
export interface CompanyOfSite {
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
  const keys = await deps.store.companiesBySite({ domain: site.domain, limit: companiesAtMost })
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
