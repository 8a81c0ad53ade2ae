import type { Company, CompanyLocation } from '@vitae/contract'
import {
  companyLocations,
  countryCode,
  type KnownPlaces,
  list,
  parseAddressLine,
  plainText,
  text,
  texts,
} from '@vitae/provider'

type Raw = Record<string, unknown>

/** The offices of a company. Each is one text; the headquarters is the one in its city, otherwise the first. */
export function locations(raw: Raw): Company['locations'] {
  const countries = countriesOf(raw)
  const headquarters = parseAddressLine(raw.headquarters, { countries, endsWithCountry: false })
  const city = headquarters?.city ?? null
  const first = lines(raw).flatMap((line) => office(line, { countries, cities: texts([city]) }))
  // A city that one line shows clearly is found in the others too.
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
