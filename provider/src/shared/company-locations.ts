import type { Company, CompanyLocation } from '@vitae/contract'
import { regionOf } from '../mapping/places/regions.ts'

/**
 * A company's places, with the headquarters marked in both fields. A headquarters that is marked only in the list is
 * taken from there; one that the list lacks is added. Duplicate places are removed.
 */
export function companyLocations(
  stated: CompanyLocation | null,
  listed: readonly CompanyLocation[],
): Company['locations'] {
  const all = listedOnce(listed)
  const flagged = all.find((place) => place.is_headquarter === true)
  const known = stated ?? flagged ?? null
  if (!known) return { headquarter: null, all_locations: [...all] }
  const headquarter = { ...known, is_headquarter: true }
  if (all.length === 0) return { headquarter, all_locations: [headquarter] }
  const same = all.filter((place) => addressOf(place) === addressOf(known))
  const main = same.length > 0 ? same : [flagged ?? all.find((place) => mayBeSame(place, known))]
  if (main[0] === undefined) return { headquarter, all_locations: [headquarter, ...all] }
  return {
    headquarter,
    all_locations: all.map((place) => (main.includes(place) ? { ...place, is_headquarter: true } : place)),
  }
}

/** A place with its parts in the form in which they are compared. */
interface Comparable {
  place: CompanyLocation
  /** The city and the street; null without a city. Only places with the same site can be one. */
  site: string | null
  country: string | null
  postalCode: string | null
  area: string | null
  region: string | null
}

/** Keeps the first entry of each place and adds facts from its duplicates. Some companies list thousands of places. */
function listedOnce(all: readonly CompanyLocation[]): CompanyLocation[] {
  const kept: Comparable[] = []
  const bySite = new Map<string, Comparable[]>()
  for (const place of all) {
    const next = comparable(place)
    const others = next.site === null ? undefined : bySite.get(next.site)
    const known = others?.find((one) => isListed(one, next))
    if (known) {
      Object.assign(known, comparable(joined(known.place, place)))
      continue
    }
    kept.push(next)
    if (others) others.push(next)
    else if (next.site !== null) bySite.set(next.site, [next])
  }
  return kept.map(({ place }) => place)
}

function comparable(place: CompanyLocation): Comparable {
  const { city, address_line1: line, country, postal_code: code, geographic_area: area } = place
  return {
    place,
    site: city === null ? null : `${foldCase(city)}\n${foldCase(line ?? '')}`,
    country: country === null ? null : foldCase(country),
    postalCode: code === null ? null : foldCase(code),
    area: area ? foldCase(area) : null,
    region: regionOf(country?.toUpperCase() ?? null, area)?.code ?? null,
  }
}

/** Whether two lines with the same site mean one place: nothing contradicts it. */
function isListed(a: Comparable, b: Comparable): boolean {
  const isSameArea = agree(a.area, b.area) || (a.region !== null && a.region === b.region)
  return agree(a.country, b.country) && agree(a.postalCode, b.postalCode) && isSameArea
}

function agree(one: string | null, other: string | null): boolean {
  return one === null || other === null || one === other
}

function joined(a: CompanyLocation, b: CompanyLocation): CompanyLocation {
  return {
    country: a.country ?? b.country,
    geographic_area: a.geographic_area ?? b.geographic_area,
    city: a.city,
    postal_code: a.postal_code ?? b.postal_code,
    address_line1: a.address_line1 ?? b.address_line1,
    is_headquarter: a.is_headquarter === true || b.is_headquarter === true ? true : a.is_headquarter,
  }
}

function addressOf({ country, geographic_area: area, city, postal_code: code, address_line1: line }: CompanyLocation) {
  return JSON.stringify([country, area, city, code, line])
}

/** Whether both have the same city and no contradiction. The area may be a name in one and a code in the other. */
function mayBeSame(a: CompanyLocation, b: CompanyLocation): boolean {
  const agrees = (one: string | null, two: string | null) =>
    one === null || two === null || foldCase(one) === foldCase(two)
  const others = agrees(a.country, b.country) && agrees(a.postal_code, b.postal_code)
  return (
    a.city !== null && b.city !== null && agrees(a.city, b.city) && others && agrees(a.address_line1, b.address_line1)
  )
}

function foldCase(part: string): string {
  return part
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
