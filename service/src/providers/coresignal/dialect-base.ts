import type { FundingRound } from '@vitae/contract'
import {
  canonicalPageUrl,
  companySummary,
  countryCode,
  flag,
  integer,
  object,
  parseMoney,
  parsePartialDate,
  rows,
  slugFromUrl,
  text,
  texts,
} from '@vitae/provider'
import { completed, headquarter, parseAddress, either } from './fields.ts'
import type { CompanyFacts } from './company-facts.ts'

type Raw = Record<string, unknown>

/** The rows of a collection without those marked `deleted: 1`. */
function collection(raw: Raw, name: string): Raw[] {
  return rows(raw[`company_${name}_collection`]).filter((row) => flag(row.deleted) !== true)
}

/** Both older data sets write a round this way, with the number of all rounds beside it. */
export function lastRound(raw: Raw, leadInvestors: FundingRound['lead_investors']): FundingRound {
  const count = integer(raw.last_round_investors_count)
  return {
    funding_type: text(raw.last_round_type),
    money_raised: parseMoney(raw.last_round_money_raised),
    announced_on: parsePartialDate(raw.last_round_date),
    lead_investors: leadInvestors,
    num_of_other_investors: count === null ? null : Math.max(0, count - (leadInvestors?.length ?? 0)),
    round_url: text(raw.cb_url),
  }
}

/** The highest number of rounds that any row states. */
export function countedRounds(rounds: Raw[]): number | null {
  const counts = rounds.flatMap((round) => integer(round.total_rounds_count) ?? [])
  return counts.length > 0 ? Math.max(...counts) : null
}

function investors(raw: Raw): FundingRound['lead_investors'] {
  const all = collection(raw, 'featured_investors').flatMap((row) => {
    const investor = { ...object(row.company_investors_list), ...row }
    const name = text(either(investor, 'name', 'investor_name'))
    return name === null ? [] : { name, logo: null, investor_url: text(investor.cb_url) }
  })
  return all.filter((one, index) => all.findIndex(({ name }) => name === one.name) === index)
}

function affiliated(raw: Raw): CompanyFacts['affiliated'] {
  return collection(raw, 'affiliated').map((row) => {
    const url = either(row, 'affiliated_company_url', 'company_url', 'url')
    return companySummary({
      company_name: text(either(row, 'affiliated_company_name', 'company_name', 'name', 'title')),
      public_identifier: slugFromUrl(url, ['company', 'school', 'showcase']),
      company_url: canonicalPageUrl(url),
    })
  })
}

/** Reads a record of `company_base`. */
export function readBase(raw: Raw): CompanyFacts {
  const hq = {
    country: countryCode(either(raw, 'headquarters_country_parsed', 'headquarters_country'))?.toLowerCase() ?? null,
    geographic_area: text(raw.headquarters_state),
    city: text(raw.headquarters_city),
    postal_code: text(raw.headquarters_zip),
    address_line1: texts([raw.headquarters_street1, raw.headquarters_street2]).join(', ') || null,
    is_headquarter: true,
  }
  const locations = collection(raw, 'locations').flatMap((row) => {
    const place = parseAddress(row.location_address)
    return place ? { ...place, is_headquarter: flag(row.is_primary) } : []
  })
  const address = parseAddress(raw.headquarters_new_address, hq.country)
  const rounds = collection(raw, 'funding_rounds')
  return {
    platformNumber: raw.source_id,
    pageUrl: either(raw, 'canonical_url', 'url'),
    name: raw.name,
    website: raw.website,
    logo: raw.logo_url,
    phone: null,
    staffCount: raw.employees_count,
    staffRange: raw.size,
    followers: raw.followers,
    founded: raw.founded,
    updatedAt: raw.last_updated,
    specialities: texts(collection(raw, 'specialties').map((row) => row.specialty)),
    headquarter: headquarter(completed(hq, address), locations),
    locations,
    roundsCount: countedRounds(rounds),
    rounds: rounds.map((round) => lastRound(round, investors(raw))),
    affiliated: affiliated(raw),
  }
}
