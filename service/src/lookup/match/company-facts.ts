import type { CompanyCandidate } from '@vitae/contract'
import { siteDomain, type SiteDomain } from '../../records/identifiers/site-domain.ts'

/** A company's names and site, read from its record. */
export function companyIn(body: Uint8Array): {
  own: SiteDomain | null
  facts: Pick<CompanyCandidate, 'company_id' | 'public_identifier' | 'name'>
} {
  // Written by serialiseRecord.
  const company = JSON.parse(Buffer.from(body).toString()) as Record<string, string | null>
  const { company_id = null, public_identifier = null, company_name: name = null, company_url: url } = company
  return { own: url ? siteDomain(url) : null, facts: { company_id, public_identifier, name } }
}
