import { normalised } from '../text.ts'
import table from './regions.json' with { type: 'json' }

/** A first-level division of a country, such as a state or province. */
export interface Region {
  country: string
  code: string
  /** `city` if the region is a city, `shared` if its largest city has the same name, otherwise `area`. */
  kind: 'area' | 'shared' | 'city'
}

/**
 * The regions of countries whose addresses contain them, as `code name/other name`. A star marks a region that is a
 * city, a plus one that shares its name with a city.
 */
const written: Readonly<Record<string, readonly string[]>> = table

/** Countries with complete lists, whose addresses use these names: a word that is not in the list is not a region. */
const wholeLists = new Set(['US', 'CA', 'AU', 'BR', 'IN', 'MX'])

/** The region for a code or a name in a country. Without a country, only a name that is unique to one country. */
export function regionOf(country: string | null, name: string | null): Region | null {
  if (name === null) return null
  const folded = foldCase(name)
  if (country !== null) return regions().get(`${country} ${folded}`) ?? null
  if (folded.length < 4) return null
  const known = Object.keys(written).flatMap((one) => regions().get(`${one} ${folded}`) ?? [])
  return known.length === 1 ? (known[0] ?? null) : null
}

/** Whether the list of a country's regions is complete. */
export function hasAllRegions(country: string | null): boolean {
  return country !== null && wholeLists.has(country)
}

let known: ReadonlyMap<string, Region> | null = null

/** Parsed at the first address. */
function regions(): ReadonlyMap<string, Region> {
  known ??= new Map(Object.entries(written).flatMap(([country, list]) => list.flatMap(namesOf(country))))
  return known
}

function namesOf(country: string): (entry: string) => [string, Region][] {
  return (entry) => {
    const [, code = '', mark, names = ''] = /^(\S+) ([*+]?)(.*)$/.exec(entry) ?? []
    const region: Region = { country, code, kind: mark === '*' ? 'city' : mark === '+' ? 'shared' : 'area' }
    return [code, ...names.split('/')].map((name) => [`${country} ${foldCase(name)}`, region])
  }
}

function foldCase(name: string): string {
  return normalised(name, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/^(?:state|province|estado|provincia) (?:of|de|do) (?!mexico|buenos)/, '')
    .trim()
}
