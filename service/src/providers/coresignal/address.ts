import type { CompanyLocation } from '@vitae/contract'
import { countryCode } from '../mapping/country.ts'
import { text } from '../mapping/text.ts'

/** A place of which nothing is known. */
export const nowhere: CompanyLocation = {
  country: null,
  geographic_area: null,
  city: null,
  postal_code: null,
  address_line1: null,
  is_headquarter: null,
}

/** `CA 94043` and `Pohjoispohjanmaa 90590` as area and postal code: the code is the last part that begins with a number. */
function areaAndCode(value: string | null): Pick<CompanyLocation, 'geographic_area' | 'postal_code'> {
  const parts = /^(.*?)\s*\b((?:[A-Z]{1,2})?\d[\w-]*(?: (?:\d\w*|[A-Z]{2}(?:\d\w*)?))?)$/.exec(value ?? '')
  if (!parts) return { geographic_area: value, postal_code: null }
  return { geographic_area: text(parts[1]), postal_code: text(parts[2]) }
}

/**
 * An address in one line, `street; city, area code, country`. A line that does not end with a country cannot be split
 * and is kept whole.
 */
export function parseAddress(value: unknown): CompanyLocation | null {
  const line = text(value)
  if (line === null) return null
  const segments = line.split(';').map((part) => part.trim())
  const places = (segments.pop() ?? '').split(',').map((part) => text(part))
  const country = countryCode(places.pop())
  if (country === null || places.length > 3) return { ...nowhere, address_line1: line }
  const [city = null, ...area] = places
  return {
    ...nowhere,
    country: country.toLowerCase(),
    city,
    ...areaAndCode(text(area.filter((part) => part !== null).join(', '))),
    address_line1: text(segments.join('; ')),
  }
}

/** The first place, with gaps filled from the second. */
export function completed(first: CompanyLocation, second: CompanyLocation | null): CompanyLocation {
  return {
    country: first.country ?? second?.country ?? null,
    geographic_area: first.geographic_area ?? second?.geographic_area ?? null,
    city: first.city ?? second?.city ?? null,
    postal_code: first.postal_code ?? second?.postal_code ?? null,
    address_line1: first.address_line1 ?? second?.address_line1 ?? null,
    is_headquarter: first.is_headquarter,
  }
}

/** The headquarter, or null when nothing is known of it. */
export function headquarter(place: CompanyLocation): CompanyLocation | null {
  const { is_headquarter: _, ...known } = place
  return Object.values(known).every((part) => part === null) ? null : { ...place, is_headquarter: true }
}
