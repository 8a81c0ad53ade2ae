import type { CompanyLocation } from '@vitae/contract'
import { countryCode } from './country.ts'
import { plainText, text } from './text.ts'

/** What is known about the places of a company besides a line of text. */
export interface KnownPlaces {
  /** Codes of the countries in which the company is, if the provider lists them. */
  countries?: readonly string[]
  /** The city of the headquarters, to find it in a line that has lost the comma before it. */
  city?: string | null
  /** False where the line never ends with a country code, so that the IL of `Chicago, IL` is a state. */
  endsWithCountry?: boolean
}

type Place = Omit<CompanyLocation, 'is_headquarter'>

const cityStates = new Set(['SG', 'HK', 'MO', 'MC', 'LU', 'GI', 'SM', 'VA'])
/** Countries whose areas are written as two letters. */
const withAreaCodes = new Set(['US', 'CA', 'BR', 'IN', 'IT', 'AU'])
const hasDigit = /\d/

/** Whether a name is that of a country which is one city, such as Singapore. */
export function isCityState(name: unknown): boolean {
  return cityStates.has(countryCode(name) ?? '')
}

/** A place in one line, `street, more street, city, area postcode, COUNTRY`, of which any part may be missing. */
export function parseAddressLine(value: unknown, known: KnownPlaces = {}): Place | null {
  const parts = (plainText(value)?.split(',') ?? []).flatMap((part) => text(part) ?? [])
  if (parts.length === 0) return null
  const country = takeCountry(parts, known)
  const { area, postcode } = areaAndPostcode(parts.pop())
  const { street, city, region } = around(parts, area, country, known.city ?? null)
  return {
    country: country?.toLowerCase() ?? null,
    geographic_area: region,
    city,
    postal_code: postcode,
    address_line1: street.join(', ') || null,
  }
}

/** Takes the country from the end of the parts. */
function takeCountry(parts: string[], { countries = [], endsWithCountry = true }: KnownPlaces): string | null {
  const last = parts.at(-1) ?? ''
  const code = countryCode(last)
  if (code === null || (last.length === 2 && !endsWithCountry) || isAreaCode(parts, code, countries)) {
    return countries.length === 1 ? (countries[0] ?? null) : null
  }
  const isCityToo = parts.length === 1 && last.length > 2 && isCityState(last)
  if (!isCityToo) parts.pop()
  return code
}

/** The IL of `Chicago, IL` is no country for a company in the United States. */
function isAreaCode(parts: string[], code: string, countries: readonly string[]): boolean {
  const mayBe = parts.length === 2 && parts.at(-1)?.length === 2 && !countries.includes(code)
  return mayBe && countries.some((one) => withAreaCodes.has(one))
}

/** `IL 60601` and `England LS1 4AP`: the postcode begins with the first word that has a digit. */
function areaAndPostcode(part: string | undefined): { area: string | null; postcode: string | null } {
  const words = part?.split(/\s+/) ?? []
  const at = words.findIndex((word) => hasDigit.test(word))
  if (at === -1) return { area: part ?? null, postcode: null }
  return { area: text(words.slice(0, at).join(' ')), postcode: words.slice(at).join(' ') }
}

interface Split {
  street: string[]
  city: string | null
  region: string | null
}

/** Decides whether the text before the postcode is the city or the area, from what comes before it. */
function around(before: string[], area: string | null, country: string | null, knownCity: string | null): Split {
  const last = before.at(-1) ?? null
  const inLast = last === null || knownCity === null ? null : cityAtEnd(last, knownCity)
  const region = isNameOf(country, area) ? null : area
  if (inLast) return { street: [...before.slice(0, -1), ...inLast.street], city: inLast.city, region }

  const isStreet = last === null || hasDigit.test(last)
  const split = { street: isStreet ? before : before.slice(0, -1), city: isStreet ? null : last, region }
  if (region === null) return { ...split, city: split.city ?? (isCityState(area) ? area : null) }
  if (/^[A-Z]{2,3}$/.test(region)) return split
  const isCity = split.city === null || region.toLowerCase() === knownCity?.toLowerCase()
  return isCity ? { street: before, city: region, region: null } : split
}

/** Some lines have the country's own name where the area would be. Parts of the United Kingdom are areas. */
function isNameOf(country: string | null, area: string | null): boolean {
  if (country === null || area === null || area.length <= 2) return false
  return countryCode(area) === country && !/^(england|scotland|wales|northern ireland)$/i.test(area)
}

/** `Main St 5 Chicago` as street and city, where the city is known. */
function cityAtEnd(part: string, city: string): { street: string[]; city: string } | null {
  const [folded, wanted] = [part.toLowerCase(), city.toLowerCase()]
  if (folded === wanted) return { street: [], city: part }
  if (!folded.endsWith(` ${wanted}`)) return null
  return { street: [part.slice(0, -city.length).trim()], city: part.slice(-city.length) }
}
