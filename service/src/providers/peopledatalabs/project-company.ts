import { type Company, type CompanyLocation, emptyCompany } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyIdentity,
  companyLocations,
  companyPageUrl,
  companySummary,
  companyType,
  countryCode,
  flag,
  foldSlug,
  insideEnvelope,
  integer,
  isShowcaseUrl,
  list,
  parseFoundedDate,
  parseHeadcountRange,
  parseObject,
  parsePartialDate,
  plainText,
  type Projection,
  rows,
  slugFromUrl,
  text,
  texts,
  throwIfNameless,
  unsaidUnits,
} from '@vitae/provider'
import { platformNumber } from './platform-number.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

function location(raw: Raw, isHeadquarter: boolean | null): CompanyLocation {
  return {
    country: countryCode(raw.country)?.toLowerCase() ?? null,
    geographic_area: text(raw.region),
    city: text(raw.locality),
    postal_code: text(raw.postal_code),
    address_line1: texts([raw.street_address, raw.address_line_2]).join(', ') || null,
    is_headquarter: isHeadquarter,
  }
}

/** Newer versions of the data set list all places; older ones have only the main one. */
function locations(raw: Raw): Company['locations'] {
  const [main] = rows([raw.location])
  const headquarter = main ? location(main, true) : null
  const all = rows(raw.locations).map((one) => location(one, flag(one.is_primary)))
  return companyLocations(headquarter, all)
}

/** The provider has only the total of all rounds, so the amount of the last one is null. */
function funding(raw: Raw): Company['funding_data'] {
  const type = text(raw.latest_funding_stage)
  const announced = parsePartialDate(raw.last_funding_date)
  const isKnown = type !== null || announced !== null
  return {
    num_of_funding_rounds: integer(raw.number_funding_rounds),
    last_funding_round: isKnown
      ? {
          funding_type: type,
          money_raised: null,
          announced_on: announced,
          lead_investors: null,
          num_of_other_investors: null,
          round_url: null,
        }
      : null,
  }
}

/** Affiliates are page URLs or the vendor's own ids, which are left out. */
function affiliates(raw: Raw): Company['affiliated_companies'] {
  return list(raw.affiliated_profiles).flatMap((page) => {
    const slug = slugFromUrl(page, ['company', 'school', 'showcase'])
    return slug === null ? [] : companySummary({ public_identifier: slug, company_url: canonicalPageUrl(page) })
  })
}

function slugOf(raw: Raw): string | null {
  const given = text(raw.linkedin_slug)
  return given === null ? slugFromUrl(raw.linkedin_url, ['company', 'school', 'showcase']) : foldSlug(given)
}

/** Maps a People Data Labs company to our record; its own `id` is only an alias. */
export function projectCompany(payload: Uint8Array): Projection<Company> {
  const raw = insideEnvelope(parseObject('peopledatalabs', payload))
  const slug = slugOf(raw)
  const name = text(raw.display_name) ?? text(raw.name)
  const companyNumber = platformNumber(raw.linkedin_id)
  throwIfNameless('peopledatalabs', name, slug, companyNumber)
  const identity = companyIdentity({
    companyNumber,
    slug,
    vendor: { provider: 'peopledatalabs', id: text(raw.id) },
    fallback: JSON.stringify(raw),
  })
  const ownPage = slug ?? (identity.derived ? null : identity.key)
  const record: Company = {
    ...emptyCompany(),
    company_id: identity.key,
    public_identifier: slug,
    company_name: name,
    tagline: text(raw.headline),
    description: plainText(raw.summary),
    company_type: companyType(raw.type),
    locations: locations(raw),
    industries: texts([text(raw.industry_v2) ?? raw.industry]).map((one) => ({ id: null, name: one })),
    specialities: texts(raw.tags),
    staff_info: { staff_count: integer(raw.employee_count), staff_range: parseHeadcountRange(raw.size) },
    followers_count: integer(raw.linkedin_follower_count),
    founded_on: parseFoundedDate(raw.founded),
    platform_url: canonicalPageUrl(raw.linkedin_url) ?? (ownPage && companyPageUrl(ownPage)),
    company_url: text(raw.website),
    is_showcase: isShowcaseUrl(raw.linkedin_url),
    funding_data: funding(raw),
    affiliated_companies: affiliates(raw),
  }
  return { record, identity, sourceUpdatedAt: null, unsaid: unsaidUnits(sections, 'companies', raw) }
}
