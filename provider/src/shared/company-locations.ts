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

/** Keeps the first entry of each place and adds facts from its duplicates. */
function listedOnce(all: readonly CompanyLocation[]): CompanyLocation[] {
  return all.reduce<CompanyLocation[]>((kept, place) => {
    const at = kept.findIndex((one) => isListed(one, place))
    const known = kept[at]
    return known ? kept.with(at, joined(known, place)) : [...kept, place]
  }, [])
}

/** Whether both lines mean one place: the same street or none, the same city, and no contradiction. */
function isListed(a: CompanyLocation, b: CompanyLocation): boolean {
  const isSameLine = foldCase(a.address_line1 ?? '') === foldCase(b.address_line1 ?? '')
  const [one, two] = [regionOf(codeOf(a), a.geographic_area), regionOf(codeOf(b), b.geographic_area)]
  const isSameArea =
    !a.geographic_area || !b.geographic_area || foldCase(a.geographic_area) === foldCase(b.geographic_area)
  return isSameLine && mayBeSame(a, b) && (isSameArea || (one !== null && one.code === two?.code))
}

function codeOf({ country }: CompanyLocation): string | null {
  return country?.toUpperCase() ?? null
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
