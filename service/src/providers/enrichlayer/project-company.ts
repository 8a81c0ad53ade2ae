import {
  type Company,
  type CompanyLocation,
  type CompanySummary,
  type FundingRound,
  type Investor,
  emptyCompany,
} from '@vitae/contract'
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
  imageUrl,
  insideEnvelope,
  integer,
  isShowcaseUrl,
  latest,
  numericIdFromUrl,
  object,
  parseFoundedDate,
  parseHeadcountRange,
  parseMoney,
  parseObject,
  parsePartialDate,
  plainText,
  type Projection,
  rows,
  slugFromUrl,
  text,
  textList,
  texts,
  throwIfNameless,
  unsaidUnits,
} from '@vitae/provider'
import { lastUpdated } from './answer.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

function industries(name: unknown): { id: null; name: string }[] {
  return texts([name]).map((one) => ({ id: null, name: one }))
}

function location(raw: Raw): CompanyLocation {
  return {
    country: countryCode(raw.country)?.toLowerCase() ?? null,
    geographic_area: text(raw.state),
    city: text(raw.city),
    postal_code: text(raw.postal_code),
    address_line1: texts([raw.line_1, raw.line_2]).join(', ') || null,
    is_headquarter: flag(raw.is_hq),
  }
}

function locations(raw: Raw): Company['locations'] {
  const all = rows(raw.locations).map(location)
  const [hq] = rows([raw.hq])
  const headquarter = hq ? { ...location(hq), is_headquarter: true } : (all.find((one) => one.is_headquarter) ?? null)
  return companyLocations(headquarter, all)
}

function affiliated(raw: Raw): CompanySummary {
  const number = numericIdFromUrl(raw.link)
  return companySummary({
    company_name: text(raw.name),
    public_identifier: slugFromUrl(raw.link, ['company', 'school', 'showcase']),
    entity_urn: number && `urn:li:company:${number}`,
    company_url: canonicalPageUrl(raw.link),
    industries: industries(raw.industry),
    is_showcase: isShowcaseUrl(raw.link),
  })
}

function investor(raw: Raw): Investor {
  return { name: text(raw.name), logo: null, investor_url: text(raw.linkedin_profile_url) }
}

/** All investors are in one list. Only those marked as leading are lead investors, and often none is marked. */
function fundingRound(raw: Raw): FundingRound {
  const listed = rows(raw.investor_list)
  const leading = listed.filter(
    (one) => flag(one.is_lead) || flag(one.lead_investor) || /\blead\b/i.test(text(one.type) ?? ''),
  )
  const count = Math.max(integer(raw.number_of_investor) ?? 0, listed.length)
  const isCounted = integer(raw.number_of_investor) !== null || Array.isArray(raw.investor_list)
  return {
    funding_type: text(raw.funding_type),
    money_raised: parseMoney(raw.money_raised),
    announced_on: parsePartialDate(raw.announced_date),
    lead_investors: leading.length > 0 || listed.length === 0 ? leading.map(investor) : null,
    num_of_other_investors: isCounted ? count - leading.length : null,
    round_url: null,
  }
}

/** Null if funding was not requested. The answer has all rounds; the latest one is used. */
function funding(raw: Raw): Company['funding_data'] {
  if (!Array.isArray(raw.funding_data)) return null
  const rounds = rows(raw.funding_data).map(fundingRound)
  return {
    num_of_funding_rounds: integer(object(raw.extra).number_of_funding_rounds) ?? rounds.length,
    last_funding_round: latest(rounds, (round) => round.announced_on),
  }
}

/** Maps a company or school of Enrich Layer to our record. */
export function projectCompany(payload: Uint8Array): Projection<Company> {
  const raw = insideEnvelope(parseObject('enrichlayer', payload))
  const given = text(raw.universal_name_id)
  const slug = given && foldSlug(given)
  const name = text(raw.name)
  const companyNumber = text(raw.linkedin_internal_id) ?? text(raw.search_id)
  throwIfNameless('enrichlayer', name, slug, companyNumber)
  const identity = companyIdentity({ companyNumber, slug, fallback: JSON.stringify(raw) })
  const affiliates = rows(raw.affiliated_companies).map(affiliated)
  const record: Company = {
    ...emptyCompany(),
    company_id: identity.key,
    public_identifier: slug,
    company_name: name,
    tagline: text(raw.tagline),
    description: plainText(raw.description),
    company_type: companyType(raw.company_type),
    locations: locations(raw),
    industries: industries(raw.industry),
    specialities: textList(raw.specialities),
    staff_info: {
      staff_count: integer(raw.company_size_on_linkedin),
      staff_range: parseHeadcountRange(raw.company_size),
    },
    followers_count: integer(raw.follower_count),
    founded_on: parseFoundedDate(raw.founded_year),
    platform_url: slug || !identity.derived ? companyPageUrl(slug ?? identity.key) : null,
    company_url: text(raw.website),
    logo_url: imageUrl(raw.profile_pic_url),
    background_photo_url: imageUrl(raw.background_cover_image_url),
    phone_number: text(object(raw.extra).phone_number),
    funding_data: funding(raw),
    showcase_pages: affiliates.filter((one) => one.is_showcase === true),
    affiliated_companies: affiliates.filter((one) => one.is_showcase !== true),
  }
  const unsaid = unsaidUnits(sections, 'companies', raw)
  return { record, identity, sourceUpdatedAt: lastUpdated(raw), unsaid }
}
