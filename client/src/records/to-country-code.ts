type Located = { country_code?: string | null; country?: string | null }

/**
 * The upper-case ISO 3166-1 code of a location of either record, or of a code in any case; null without one.
 * People have `country_code` beside the country's name, companies have a lower-case `country`.
 */
export function toCountryCode(place: Located | string | null | undefined): string | null {
  const code = typeof place === 'object' && place !== null ? (place.country_code ?? place.country) : place
  const text = code?.trim() ?? ''
  return /^[a-z]{2}$/i.test(text) ? text.toUpperCase() : null
}
