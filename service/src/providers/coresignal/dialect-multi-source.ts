import type { CompanyLocation, FundingRound } from '@vitae/contract'
import { countryCode, flag, integer, parseMoney, parsePartialDate, rows, text, textList, texts } from '@vitae/provider'
import { completed, headquarter, parseAddress, nowhere, either } from './fields.ts'
import type { CompanyFacts } from './company-facts.ts'
import { countedRounds, lastRound } from './dialect-base.ts'

type Raw = Record<string, unknown>

/** Lead investors are a list of names or one comma-separated text. */
function round(raw: Raw, prefix: string): FundingRound {
  const names = textList(raw[`${prefix}lead_investors`])
  const count = integer(raw[`${prefix}num_investors`])
  return {
    funding_type: roundType(raw[`${prefix}name`]),
    money_raised: parseMoney(raw[`${prefix}amount_raised`], raw[`${prefix}amount_raised_currency`]),
    announced_on: parsePartialDate(raw[`${prefix}announced_date`]),
    lead_investors: names.map((name) => ({ name, logo: null, investor_url: null })),
    num_of_other_investors: count === null ? null : Math.max(0, count - names.length),
    round_url: null,
  }
}

/** A round is named `Seed Round - Flint`, after its company. */
function roundType(name: unknown): string | null {
  return text(text(name)?.split(/\s[-\u2013]\s/)[0])
}

function rounds(raw: Raw): FundingRound[] {
  const listed = rows(raw.funding_rounds).map((one) => round(one, ''))
  const last = round(raw, 'last_funding_round_')
  return listed.length === 0 && (last.funding_type !== null || last.announced_on !== null) ? [last] : listed
}

function hq(raw: Raw): CompanyLocation {
  const place = {
    country: countryCode(either(raw, 'hq_country_iso2', 'hq_country'))?.toLowerCase() ?? null,
    geographic_area: text(raw.hq_state),
    city: text(raw.hq_city),
    postal_code: text(raw.hq_zipcode),
    address_line1: text(raw.hq_street),
    is_headquarter: true,
  }
  return completed(place, parseAddress(either(raw, 'hq_full_address', 'hq_location'), place.country))
}

/** Reads a record of `company_multi_source`. */
export function readMultiSource(raw: Raw): CompanyFacts {
  const funding = rounds(raw)
  const locations = rows(raw.company_locations_full).flatMap((row) => {
    const place = parseAddress(row.location_address)
    return place ? { ...place, is_headquarter: flag(row.is_primary) } : []
  })
  return {
    platformNumber: raw.source_id,
    pageUrl: either(raw, 'linkedin_url', 'professional_network_url'),
    name: raw.company_name,
    website: raw.website,
    logo: raw.company_logo_url,
    phone: texts(raw.company_phone_numbers)[0],
    staffCount: raw.employees_count,
    staffRange: raw.size_range,
    followers: either(raw, 'followers_count_linkedin', 'followers_count_professional_network'),
    founded: raw.founded_year,
    updatedAt: raw.last_updated_at,
    specialities: null,
    headquarter: headquarter(hq(raw), locations),
    locations,
    roundsCount: funding.length,
    rounds: funding,
    affiliated: null,
  }
}

/** Reads a record of `company_clean`. */
export function readClean(raw: Raw): CompanyFacts {
  const locations = rows(raw.locations_full).flatMap((row) => {
    const place = parseAddress(row.location_address)
    return place ? { ...place, is_headquarter: flag(row.is_primary) } : []
  })
  const country = { ...nowhere, country: countryCode(raw.location_hq_country)?.toLowerCase() ?? null }
  const stated = completed(parseAddress(raw.location_hq_raw_address, raw.location_hq_country) ?? nowhere, country)
  const rounds = rows(raw.funding_rounds)
  return {
    platformNumber: either(raw, 'linkedin_source_id', 'professional_network_source_id', 'source_id'),
    pageUrl: either(
      raw,
      'websites_linkedin_canonical',
      'websites_professional_network_canonical',
      'websites_linkedin',
      'websites_professional_network',
    ),
    name: raw.name,
    website: either(raw, 'websites_main', 'websites_main_original'),
    logo: raw.logo,
    phone: texts(raw.phone_numbers)[0],
    staffCount: raw.size_employees_count,
    staffRange: raw.size_range,
    followers: raw.followers,
    founded: text(raw.founded),
    updatedAt: raw.last_updated,
    specialities: textList(raw.specialities),
    headquarter: headquarter(stated, locations),
    locations,
    roundsCount: countedRounds(rounds),
    rounds: rounds.map((round) => lastRound(round, null)),
    affiliated: null,
  }
}
