import type { CompanyLocation } from '@vitae/contract'
import { countryCode } from '../country.ts'
import { hasAllRegions, type Region, regionOf } from './regions.ts'
import { plainText, text } from '../text.ts'

/** Facts about a company's places besides the line of text. */
export interface KnownPlaces {
  /** Codes of the company's countries, if the provider lists them. */
  countries?: readonly string[]
  /** Known cities of the company, to find a city in a line without a comma before it. */
  cities?: readonly string[]
  /** False if the line never ends with a country code, so that IL in `Chicago, IL` is a state. */
  endsWithCountry?: boolean
  /** True if the line has no street, so that `Armonk, New York, NY` begins with a city. */
  isStreetless?: boolean
}

type Place = Omit<CompanyLocation, 'is_headquarter'>

const cityStates = new Set(['SG', 'HK', 'MO', 'MC', 'LU', 'GI', 'SM', 'VA'])
/** Countries that write areas as two letters. */
const withAreaCodes = new Set(['US', 'CA', 'BR', 'IN', 'IT', 'AU'])
const hasDigit = /\d/
/** Words for streets and buildings, in the languages of the payloads. */
const streetWord =
  /(?:\b(?:street|st\.|road|rd|avenue|ave|boulevard|blvd|drive|lane|highway|parkway|square|plaza|suite|ste|floor|building|bldg|tower|towers|house|unit|room|block|estate|campus|business park|technology park|industrial park|p\.?o\.? box|rue|calle|avenida|paseo|carrera|rua|alameda|via|viale|piazza|platz|weg|allee)(?![\p{L}])|(?:straße|strasse|str\.|gasse|katu|straat|vägen|gatan|gade|vej)$)/iu

/** Whether a name means a country that is a single city, such as Singapore. */
export function isCityState(name: unknown): boolean {
  return cityStates.has(countryCode(name) ?? '')
}

/** Parses a one-line address: `street, more street, city, area postcode, COUNTRY`. Any part may be missing. */
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

/** Removes the country from the end of the parts and returns it. */
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

/** For a company in the United States, IL in `Chicago, IL` is a state and not Israel. */
function isAreaCode(parts: string[], code: string, countries: readonly string[]): boolean {
  const mayBe = parts.length === 2 && parts.at(-1)?.length === 2 && !countries.includes(code)
  return mayBe && countries.some((one) => withAreaCodes.has(one))
}

/** Splits `IL 60601` and `England LS1 4AP`: the postcode begins with the first word that has a digit. */
function areaAndPostcode(part: string | undefined): { area: string | null; postcode: string | null } {
  const words = part?.split(/\s+/) ?? []
  const at = words.findIndex((word) => hasDigit.test(word))
  if (at === -1) return { area: part ?? null, postcode: null }
  return { area: text(words.slice(0, at).join(' ')), postcode: words.slice(at).join(' ') }
}

/** Removes area and postcode from the end of the parts. The postcode may be a separate part after the area. */
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
 * Assigns the parts to street, city and region. A certain region is never the city, and a certain non-region is never
 * the region. If two readings remain, the text stays in the street.
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

/** The city next to a known region. The region's name may appear again before its code: `Springfield, Illinois, IL`. */
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
  // `Albany, New York, NY` and `Some Hall, New York, NY` are indistinguishable.
  return isOtherCity ? { street: before, city: null, region: written } : { ...cityLast(before, null), region: written }
}

/** Whether a line names a region and then its code: `New York, NY`. */
function isNamedTwice(name: string | undefined, code: string | null, country: string | null): boolean {
  const named = regionOf(country, name ?? null) ?? regionOf(null, name ?? null)
  return named !== null && code !== null && regionOf(named.country, code)?.code === named.code
}

/** The last part is the city, unless it looks like a street. */
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

/** Finds a known city at the end of the parts. */
function endingIn(parts: string[], cities: readonly string[]): { street: string[]; city: string } | null {
  const last = parts.at(-1)
  if (last === undefined) return null
  for (const city of cities) {
    const found = cityAtEnd(last, city)
    if (found) return { street: [...parts.slice(0, -1), ...found.street], city: found.city }
  }
  return null
}

/** Some lines repeat the country's name in place of the area. The parts of the United Kingdom are areas. */
function isNameOf(country: string | null, area: string | null): boolean {
  if (country === null || area === null || area.length <= 2) return false
  return countryCode(area) === country && !/^(england|scotland|wales|northern ireland)$/i.test(area)
}

/** Splits `Main St 5 Chicago` into street and city if the city is known. */
function cityAtEnd(part: string, city: string): { street: string[]; city: string } | null {
  const [folded, wanted] = [part.toLowerCase(), city.toLowerCase()]
  if (folded === wanted) return { street: [], city: part }
  if (!folded.endsWith(` ${wanted}`)) return null
  return { street: [part.slice(0, -city.length).trim()], city: part.slice(-city.length) }
}
