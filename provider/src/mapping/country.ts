import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import { normalised, text } from './text.ts'

// The package's main entry would load all languages.
countries.registerLocale(english)

/** Common names that are in neither table. */
const otherNames: Record<string, string> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'great britain': 'GB',
  korea: 'KR',
  turkey: 'TR',
  macedonia: 'MK',
  'hong kong sar': 'HK',
  'macau sar': 'MO',
  'ivory coast': 'CI',
  'cape verde': 'CV',
  swaziland: 'SZ',
  burma: 'MM',
  'the bahamas': 'BS',
  'the gambia': 'GM',
  'the netherlands': 'NL',
  holland: 'NL',
}

/** The upper-case ISO 3166-1 alpha-2 code of a country given by code or English name, in any case. */
export function countryCode(value: unknown): string | null {
  const name = text(value)
  if (name === null) return null
  const upper = name.toUpperCase()
  if (/^[A-Z]{2}$/.test(upper) && countries.isValid(upper)) return upper
  if (/^[A-Z]{3}$/.test(upper)) return countries.alpha3ToAlpha2(upper) ?? names().codes.get(foldCase(name)) ?? null
  return names().codes.get(foldCase(name)) ?? null
}

/** The common English name of a country given by code or name. */
export function countryName(code: unknown): string | null {
  const known = countryCode(code)
  if (known === null) return null
  const { common } = names()
  return common.of(known)?.replace(/ SAR China$/, '') ?? null
}

/**
 * The city in a text such as `City, Region, Country` or `City, Country`, with the country as name or code. Null for
 * other forms, such as `Greater Boston`.
 */
export function cityInText(value: unknown): string | null {
  const parts =
    text(value)
      ?.split(',')
      .flatMap((part) => text(part) ?? []) ?? []
  const [city = null] = parts
  return parts.length > 1 && countryCode(parts.at(-1)) !== null ? city : null
}

let read: { common: Intl.DisplayNames; codes: ReadonlyMap<string, string> } | null = null

/** Loaded on first use: Node takes 50 ms to open its table of names, which would slow down the start. */
function names() {
  read ??= readNames()
  return read
}

function readNames() {
  // ISO says "Republic of Moldova"; people and providers write CLDR's "Moldova". Accept both.
  const common = new Intl.DisplayNames('en', { type: 'region' })
  const codes = new Map<string, string>()
  for (const [code, names] of Object.entries(countries.getNames('en', { select: 'all' }))) {
    for (const name of [...names, common.of(code) ?? '']) codes.set(foldCase(name), code)
  }
  for (const [name, code] of Object.entries(otherNames)) codes.set(foldCase(name), code)
  return { common, codes }
}

function foldCase(name: string): string {
  return normalised(name, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
}
