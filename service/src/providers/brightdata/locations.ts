import type { Company, CompanyLocation } from '@vitae/contract'
import { companyLocations } from '../shared/company-locations.ts'
import { countryCode } from '../mapping/country.ts'
import { list, plainText, text } from '../mapping/text.ts'

type Raw = Record<string, unknown>

/** The offices of a company. Each is one text; the first is the headquarters. */
export function locations(raw: Raw): Company['locations'] {
  // The formatted texts have the commas that the others have lost.
  const formatted = list(raw.formatted_locations).flatMap((line) => plainText(line) ?? [])
  const lines = formatted.length > 0 ? formatted : list(raw.locations).flatMap((line) => plainText(line) ?? [])
  const all = lines.map((line, index) => office(line, index === 0))
  const headquarter = all[0] ?? headquarterOnly(raw)
  return companyLocations(headquarter, all.length > 0 || headquarter === null ? all : [headquarter])
}

/** `street, more street, city, area postcode, COUNTRY`, of which any part may be missing. */
function office(line: string, isHeadquarter: boolean): CompanyLocation {
  const parts = line.split(/,\s*/).flatMap((part) => text(part) ?? [])
  const country = /^[A-Z]{2}$/.test(parts.at(-1) ?? '') ? countryCode(parts.at(-1)) : null
  if (country !== null) parts.pop()
  const words = parts.pop()?.split(/\s+/) ?? []
  const postcodeAt = words.findIndex((word) => /\d/.test(word))
  const area = text(words.slice(0, postcodeAt === -1 ? undefined : postcodeAt).join(' '))
  return {
    country: country?.toLowerCase() ?? null,
    // Where a country has no areas its own name stands there.
    geographic_area: area !== null && countryCode(area) === country && area.length > 2 ? null : area,
    city: parts.pop() ?? null,
    postal_code: postcodeAt === -1 ? null : words.slice(postcodeAt).join(' '),
    address_line1: parts.join(', ') || null,
    is_headquarter: isHeadquarter,
  }
}

/** `headquarters` is a city and an area, so the country comes from the list of all countries if that has one entry. */
function headquarterOnly(raw: Raw): CompanyLocation | null {
  const [city = null, area = null] = plainText(raw.headquarters)?.split(/,\s*/) ?? []
  const country = countryCode(raw.country_code)
  if (city === null && country === null) return null
  return {
    country: country?.toLowerCase() ?? null,
    geographic_area: area !== null && countryCode(area) === country && area.length > 2 ? null : text(area),
    city: text(city),
    postal_code: null,
    address_line1: null,
    is_headquarter: true,
  }
}
