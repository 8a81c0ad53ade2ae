import { countryCode, flag, rows, text, textList, texts } from '@vitae/provider'
import { completed, headquarter, nowhere, parseAddress } from './address.ts'
import type { CompanyFacts } from './company-facts.ts'
import { countedRounds, lastRound } from './dialect-base.ts'
import { either } from './fields.ts'

type Raw = Record<string, unknown>

/** Reads a record of `company_clean`. */
export function readClean(raw: Raw): CompanyFacts {
  const locations = rows(raw.locations_full).flatMap((row) => {
    const place = parseAddress(row.location_address)
    return place ? { ...place, is_headquarter: flag(row.is_primary) } : []
  })
  const country = { ...nowhere, country: countryCode(raw.location_hq_country)?.toLowerCase() ?? null }
  const stated = completed(parseAddress(raw.location_hq_raw_address, raw.location_hq_country) ?? nowhere, country)
  const primary = locations.find((one) => one.is_headquarter) ?? nowhere
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
    headquarter: headquarter(completed(primary, stated)),
    locations,
    roundsCount: countedRounds(rounds),
    rounds: rounds.map((round) => lastRound(round, null)),
    affiliated: null,
  }
}
