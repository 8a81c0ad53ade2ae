import { type Company, emptyCompany } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyIdentity,
  companyLocations,
  companyPageUrl,
  companyType,
  insideEnvelope,
  instant,
  integer,
  isShowcaseUrl,
  latest,
  parseFoundedDate,
  parseHeadcountRange,
  parseObject,
  plainText,
  type Projection,
  slugFromUrl,
  text,
  texts,
  throwIfNameless,
  unsaidUnits,
} from '@vitae/provider'
import type { CompanyFacts } from './company-facts.ts'
import { readBase } from './dialect-base.ts'
import { readClean, readMultiSource } from './dialect-multi-source.ts'
import { pictureUrl } from './fields.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

/** The three data sets are distinguished by keys that only one of them has. */
function read(raw: Raw): CompanyFacts {
  if ('company_name' in raw || 'hq_country' in raw) return readMultiSource(raw)
  const isClean = ['websites_main', 'linkedin_source_id', 'size_range', 'locations_full'].some((key) => key in raw)
  return isClean ? readClean(raw) : readBase(raw)
}

function funding(facts: CompanyFacts): Company['funding_data'] {
  return {
    num_of_funding_rounds: facts.roundsCount ?? facts.rounds.length,
    last_funding_round: latest(facts.rounds, (round) => round.announced_on),
  }
}

/** Maps a company of any Coresignal data set to our record; its own `id` is only an alias. */
export function projectCompany(payload: Uint8Array): Projection<Company> {
  const raw = insideEnvelope(parseObject('coresignal', payload))
  const facts = read(raw)
  const slug = slugFromUrl(facts.pageUrl, ['company', 'school', 'showcase'])
  const name = text(facts.name)
  const companyNumber = text(facts.platformNumber)
  throwIfNameless('coresignal', name, slug, companyNumber)
  const identity = companyIdentity({
    companyNumber,
    slug,
    vendor: { provider: 'coresignal', id: text(raw.id) },
    fallback: JSON.stringify(raw),
  })
  const record: Company = {
    ...emptyCompany(),
    company_id: identity.key,
    public_identifier: slug,
    company_name: name,
    description: plainText(raw.description),
    company_type: companyType(raw.type),
    locations: companyLocations(facts.headquarter, facts.locations),
    industries: texts([raw.industry]).map((one) => ({ id: null, name: one })),
    specialities: facts.specialities,
    staff_info: { staff_count: integer(facts.staffCount), staff_range: parseHeadcountRange(facts.staffRange) },
    followers_count: integer(facts.followers),
    founded_on: parseFoundedDate(facts.founded),
    platform_url: canonicalPageUrl(facts.pageUrl) ?? (identity.derived ? null : companyPageUrl(identity.key)),
    company_url: text(facts.website),
    logo_url: pictureUrl(facts.logo),
    phone_number: text(facts.phone),
    is_showcase: isShowcaseUrl(facts.pageUrl),
    funding_data: funding(facts),
    affiliated_companies: facts.affiliated,
  }
  const unsaid = unsaidUnits(sections, 'companies', raw)
  return { record, identity, sourceUpdatedAt: instant(facts.updatedAt), unsaid }
}
