import { type Company, type CompanySummary, type Industry, emptyCompany, type CompanyLocation } from '@vitae/contract'
import {
  canonicalPageUrl,
  companyIdentity,
  companyPageUrl,
  companySummary,
  companyType,
  foldSlug,
  imageUrl,
  instant,
  integer,
  isShowcaseUrl,
  list,
  object,
  parseFoundedDate,
  parseHeadcountRange,
  parseMoney,
  parsePartialDate,
  plainText,
  type Projection,
  ProviderFault,
  slugFromUrl,
  text,
  companyLocations,
  countryCode,
  type KnownPlaces,
  parseAddressLine,
  texts,
  unsaidUnits,
} from '@vitae/provider'
import { firstRecord, name } from './answer.ts'
import { sections } from './supplies.ts'

type Raw = Record<string, unknown>

/** Maps a Bright Data company page to our company record. */
export function projectCompany(payload: Uint8Array): Projection<Company> {
  const raw = firstRecord(payload)
  const companyNumber = text(raw.company_id)
  const given = text(raw.id)
  const slug = given === null ? slugFromUrl(raw.url, ['company', 'school', 'showcase']) : foldSlug(given)
  const companyName = plainText(raw.name)
  if (!companyNumber && !slug && !companyName) throw new ProviderFault('invalid', `${name} payload names no company`)
  const identity = companyIdentity({ companyNumber, slug, fallback: JSON.stringify(raw) })
  const affiliated = list(raw.affiliated).flatMap(summary)
  const record: Company = {
    ...emptyCompany(),
    company_id: identity.key,
    public_identifier: slug,
    company_name: companyName,
    tagline: plainText(raw.slogan),
    // `description` is the page's text for search engines: followers, slogan and a part of `about`.
    description: plainText(raw.about),
    company_type: companyType(raw.organization_type),
    locations: locations(raw),
    industries: industries(raw.industries),
    specialities: specialities(raw.specialties),
    staff_info: staffInfo(raw),
    followers_count: integer(raw.followers),
    founded_on: parseFoundedDate(raw.founded),
    platform_url: canonicalPageUrl(raw.url) ?? (slug && companyPageUrl(slug)),
    company_url: text(raw.website),
    logo_url: imageUrl(raw.logo),
    cover_image_url: imageUrl(raw.image),
    is_showcase: isShowcaseUrl(raw.url),
    funding_data: funding(object(raw.funding)),
    showcase_pages: affiliated.filter((one) => one.is_showcase === true),
    affiliated_companies: affiliated.filter((one) => one.is_showcase !== true),
  }
  const unsaid = unsaidUnits(sections, 'companies', raw)
  return { record, identity, sourceUpdatedAt: instant(raw.timestamp), unsaid }
}

/** An industry name may contain commas, so the text is never split. */
function industries(value: unknown): Industry[] {
  return (Array.isArray(value) ? value : [value]).flatMap((one) => {
    const named = plainText(one)
    return named === null ? [] : [{ id: null, name: named }]
  })
}

/** `a, b, and c` in one text. Without a comma, "and" may belong to a single name, so the text is not split. */
function specialities(value: unknown): string[] {
  const parts = Array.isArray(value) ? value.map(plainText) : (plainText(value)?.split(/[;•\n]|,(?!\d{3}\b)/) ?? [])
  const last = parts.length - 1
  return parts.flatMap(
    (part, index) => text(index > 0 && index === last ? part?.replace(/^\s*and\s+/, '') : part) ?? [],
  )
}

function staffInfo(raw: Raw): Company['staff_info'] {
  const count = integer(raw.employees_in_linkedin)
  const range = parseHeadcountRange(raw.company_size)
  return count === null && range === null ? null : { staff_count: count, staff_range: range }
}

function funding(raw: Raw): Company['funding_data'] {
  const rounds = integer(raw.rounds)
  const type = plainText(raw.last_round_type)
  const money = parseMoney(raw.last_round_raised)
  const announced = parsePartialDate(raw.last_round_date)
  const isKnown = type !== null || money !== null || announced !== null
  if (!isKnown && rounds === null) return null
  const round = {
    funding_type: type,
    money_raised: money,
    announced_on: announced,
    lead_investors: null,
    num_of_other_investors: null,
    round_url: null,
  }
  return { num_of_funding_rounds: rounds, last_funding_round: isKnown ? round : null }
}

/** Showcase pages are listed among the affiliated ones; only their URL distinguishes them. */
function summary(value: unknown): CompanySummary[] {
  const raw = object(value)
  const url = raw.Links ?? raw.link ?? raw.url
  const slug = slugFromUrl(url, ['company', 'school', 'showcase'])
  const companyName = plainText(raw.title)
  if (companyName === null && slug === null) return []
  return [
    companySummary({
      company_name: companyName,
      public_identifier: slug,
      company_url: canonicalPageUrl(url),
      industries: industries(raw.subtitle),
      is_showcase: isShowcaseUrl(url),
    }),
  ]
}

/**
 * The offices of a company. Each is one text. The headquarters is the office in the headquarters' city, otherwise the
 * first one.
 */
function locations(raw: Raw): Company['locations'] {
  const countries = countriesOf(raw)
  const headquarters = parseAddressLine(raw.headquarters, { countries, endsWithCountry: false, isStreetless: true })
  const city = headquarters?.city ?? null
  const first = lines(raw).flatMap((line) => office(line, { countries, cities: texts([city]) }))
  // A city that one line states clearly is also recognised in the others.
  const cities = texts([city, ...first.map((one) => one.city)])
  const offices = lines(raw).flatMap((line) => office(line, { countries, cities }))
  const only = headquarters ?? (countries.length === 1 ? parseAddressLine(countries[0], { countries }) : null)
  const all = offices.length === 0 && only ? [{ ...only, is_headquarter: false }] : offices
  const main = all.find((one) => one.city !== null && one.city === city) ?? all[0] ?? null
  return companyLocations(main, all)
}

/** The formatted texts have the commas that the others have lost. */
function lines(raw: Raw): unknown[] {
  const formatted = list(raw.formatted_locations).filter((line) => plainText(line) !== null)
  return formatted.length > 0 ? formatted : list(raw.locations)
}

function office(line: unknown, known: KnownPlaces): CompanyLocation[] {
  const place = parseAddressLine(line, known)
  return place ? [{ ...place, is_headquarter: false }] : []
}

/** `US,ZA,UY` or a list: every country with an office. */
function countriesOf(raw: Raw): string[] {
  const codes = [...(text(raw.country_code)?.split(',') ?? []), ...list(raw.country_codes_array)]
  return [...new Set(codes.flatMap((code) => countryCode(code) ?? []))]
}
