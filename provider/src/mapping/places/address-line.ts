import type { CompanyLocation } from '@vitae/contract'
import { countryCode } from '../country.ts'
import { hasAllRegions, type Region, regionOf } from './regions.ts'
import { plainText, text } from '../text.ts'

/** What is known about the places of a company besides a line of text. */
export interface KnownPlaces {
  /** Codes of the countries in which the company is, if the provider lists them. */
  countries?: readonly string[]
  /** Cities of the headquarters and of other places, to find one in a line that has lost the comma before it. */
  cities?: readonly string[]
  /** False where the line never ends with a country code, so that the IL of `Chicago, IL` is a state. */
  endsWithCountry?: boolean
  /** True where the line holds no street, so that `Armonk, New York, NY` begins with a city. */
  isStreetless?: boolean
}

type Place = Omit<CompanyLocation, 'is_headquarter'>

const cityStates = new Set(['SG', 'HK', 'MO', 'MC', 'LU', 'GI', 'SM', 'VA'])
/** Countries whose areas are written as two letters. */
const withAreaCodes = new Set(['US', 'CA', 'BR', 'IN', 'IT', 'AU'])
const hasDigit = /\d/
/** Words of streets and buildings, in the languages of the payloads. */
const streetWord =
  /(?:\b(?:street|st\.|road|rd|avenue|ave|boulevard|blvd|drive|lane|highway|parkway|square|plaza|suite|ste|floor|building|bldg|tower|towers|house|unit|room|block|estate|campus|business park|technology park|industrial park|p\.?o\.? box|rue|calle|avenida|paseo|carrera|rua|alameda|via|viale|piazza|platz|weg|allee)(?![\p{L}])|(?:straße|strasse|str\.|gasse|katu|straat|vägen|gatan|gade|vej)$)/iu

/** Whether a name is that of a country which is one city, such as Singapore. */
export function isCityState(name: unknown): boolean {
  return cityStates.has(countryCode(name) ?? '')
}

/** A place in one line, `street, more street, city, area postcode, COUNTRY`, of which any part may be missing. */
export function parseAddressLine(value: unknown, known: KnownPlaces = {}): Place | null {
  const parts = (plainText(value)?.split(',') ?? []).flatMap((part) => text(part) ?? [])
  if (parts.length === 0) return null
  const country = takeCountry(parts, known)
  const { area, postcode } = takeArea(parts, country)
  const { street, city, region } = splitPlace(parts, area, country, known)
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

/** The area and the postcode from the end of the parts; the postcode may be a part of its own, behind the area's. */
function takeArea(parts: string[], country: string | null): ReturnType<typeof areaAndPostcode> {
  const last = areaAndPostcode(parts.pop())
  const isAlone = last.area === null && parts.length > 1
  const before = isAlone ? (parts.at(-1) ?? null) : null
  const isArea = before !== null && !isStreet(before) && !isStreet(parts.at(-2) ?? '')
  if (!isArea && regionOf(country, before) === null) return last
  return { area: parts.pop() ?? null, postcode: last.postcode }
}

interface Split {
  street: string[]
  city: string | null
  region: string | null
}

/**
 * Which of the parts are street, city and region. A part that is surely a region is never the city, and one that is
 * surely none is never the region; where two readings are left the text stays in the street.
 */
function splitPlace(before: string[], area: string | null, country: string | null, places: KnownPlaces): Split {
  const { cities = [], isStreetless = false } = places
  const region = isNameOf(country, area) ? null : area
  if (isNamedTwice(before.at(-1), region, country)) {
    const others = before.slice(0, -1)
    const inner = isStreetless ? cityLast(others, null) : endingIn(others, cities)
    if (inner?.city) return { ...inner, region }
  }
  const known = endingIn(before, cities)
  if (known) return { ...known, region }
  const named = regionOf(country, region)
  if (named) return beside(named, before, region, country)
  if (region === null) return { ...cityLast(before, isCityState(area) ? area : null), region: null }
  const isCity = hasAllRegions(country) ? !isCode(region) : isCityName(region, cities)
  if (isCity || cityLast(before, null).city === null) {
    return isCode(region) ? { ...cityLast(before, null), region } : { street: before, city: region, region: null }
  }
  return { ...cityLast(before, null), region }
}

/** The city beside a region that is known. Its name may stand once more before its code: `Springfield, Illinois, IL`. */
function beside(region: Region, before: string[], written: string | null, country: string | null): Split {
  const last = before.at(-1) ?? null
  const isRepeated = last !== null && regionOf(country, last)?.code === region.code
  if (last === null || isStreet(last)) {
    const isCity = region.kind !== 'area' && !isCode(written ?? '')
    return { street: before, city: isCity ? written : null, region: isCity ? null : written }
  }
  if (!isRepeated || region.kind === 'city') return { ...cityLast(before, null), region: written }
  const other = before.at(-2) ?? null
  const isOtherCity = other !== null && !isStreet(other)
  if (region.kind === 'area') return { ...cityLast(before.slice(0, -1), null), region: written }
  // `Albany, New York, NY` and `Some Hall, New York, NY` cannot be told apart.
  return isOtherCity ? { street: before, city: null, region: written } : { ...cityLast(before, null), region: written }
}

/** Whether a region stands in a line by its name and then by its code: `New York, NY`. */
function isNamedTwice(name: string | undefined, code: string | null, country: string | null): boolean {
  const named = regionOf(country, name ?? null) ?? regionOf(null, name ?? null)
  return named !== null && code !== null && regionOf(named.country, code)?.code === named.code
}

/** The last part is the city, unless it is of a street. */
function cityLast(parts: string[], otherwise: string | null): { street: string[]; city: string | null } {
  const last = parts.at(-1) ?? null
  if (last === null || isStreet(last)) return { street: parts, city: otherwise }
  return { street: parts.slice(0, -1), city: last }
}

function isStreet(part: string): boolean {
  return hasDigit.test(part) || streetWord.test(part)
}

function isCode(part: string): boolean {
  return /^[A-Z]{2,3}$/.test(part)
}

function isCityName(part: string, cities: readonly string[]): boolean {
  return cities.some((city) => city.toLowerCase() === part.toLowerCase())
}

/** A known city at the end of the parts. */
function endingIn(parts: string[], cities: readonly string[]): { street: string[]; city: string } | null {
  const last = parts.at(-1)
  if (last === undefined) return null
  for (const city of cities) {
    const found = cityAtEnd(last, city)
    if (found) return { street: [...parts.slice(0, -1), ...found.street], city: found.city }
  }
  return null
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
