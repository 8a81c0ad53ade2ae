import { imageUrl, integer, rows, countryCode, parseAddressLine, regionOf, text, texts } from '@vitae/provider'
import type { CompanyLocation } from '@vitae/contract'

/**
 * The first of several keys that has a value: the vendor renamed its `linkedin_*` keys, and accounts get either name.
 */
export function either(raw: Record<string, unknown>, ...keys: string[]): unknown {
  return keys.map((key) => raw[key]).find((value) => value !== undefined && value !== null && value !== '')
}

/** The rows of a list in profile order; rows without a number keep their order and come last. */
export function inProfileOrder(value: unknown): Record<string, unknown>[] {
  const place = (row: Record<string, unknown>) => integer(row.order_in_profile) ?? Number.MAX_SAFE_INTEGER
  return rows(value).toSorted((a, b) => place(a) - place(b))
}

/** The URL of an image; one of the data sets has the image itself there, as base64. */
export function pictureUrl(value: unknown): string | null {
  const url = imageUrl(value)
  return url !== null && /^https?:\/\//i.test(url) ? url : null
}

/** A place about which nothing is known. */
export const nowhere: CompanyLocation = {
  country: null,
  geographic_area: null,
  city: null,
  postal_code: null,
  address_line1: null,
  is_headquarter: null,
}

/**
 * An address in one line, `street; city, area code, country`, or a place alone. Without a semicolon it may be a street
 * too, and is parsed like any other line.
 */
export function parseAddress(value: unknown, hqCountry?: unknown): CompanyLocation | null {
  const segments = (text(value) ?? '').split(';').flatMap((part) => text(part) ?? [])
  const code = countryCode(hqCountry)
  const place = parseAddressLine(segments.at(-1), code === null ? {} : { countries: [code] })
  if (!place) return null
  // Without a known country or region, the parts cannot be identified.
  const isKnown = place.country !== null || regionOf(null, place.geographic_area) !== null
  if (!isKnown) return { ...nowhere, address_line1: segments.join('; ') }
  const street = [...segments.slice(0, -1), ...texts([place.address_line1])].join('; ')
  return { ...nowhere, ...place, address_line1: street || null }
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

/**
 * The headquarters, or null if nothing is known. The flagged location decides, because the stated one may name the
 * state differently or name another state. If both are the same place, the stated one fills gaps.
 */
export function headquarter(
  stated: CompanyLocation | null,
  locations: readonly CompanyLocation[],
): CompanyLocation | null {
  const flagged = locations.find((one) => one.is_headquarter) ?? null
  const isOne = flagged !== null && stated !== null && mayBeOne(flagged, stated)
  const place = flagged === null ? stated : isOne ? completed(flagged, stated) : flagged
  if (place === null) return null
  const { is_headquarter: _, ...known } = place
  return Object.values(known).every((part) => part === null) ? null : { ...place, is_headquarter: true }
}

function mayBeOne(a: CompanyLocation, b: CompanyLocation): boolean {
  const agree = (one: string | null, two: string | null) =>
    one === null || two === null || one.toLowerCase() === two.toLowerCase()
  const codeOf = ({ country, geographic_area: area }: CompanyLocation) =>
    regionOf((country ?? a.country ?? b.country)?.toUpperCase() ?? null, area)?.code ?? area
  return agree(a.country, b.country) && agree(a.city, b.city) && agree(codeOf(a), codeOf(b))
}
