import type { Company, CompanyLocation } from '@vitae/contract'

/**
 * The places of a company with the headquarters flagged in both fields. A headquarters that is only flagged in the list
 * is taken from there; one that the list lacks is added to it.
 */
export function companyLocations(
  stated: CompanyLocation | null,
  all: readonly CompanyLocation[],
): Company['locations'] {
  const flagged = all.find((place) => place.is_headquarter === true)
  const known = stated ?? flagged ?? null
  if (!known) return { headquarter: null, all_locations: [...all] }
  const headquarter = { ...known, is_headquarter: true }
  if (all.length === 0) return { headquarter, all_locations: [headquarter] }
  const same = all.filter((place) => addressOf(place) === addressOf(known))
  const listed = same.length > 0 ? same : [flagged ?? all.find((place) => mayBeSame(place, known))]
  if (listed[0] === undefined) return { headquarter, all_locations: [headquarter, ...all] }
  return {
    headquarter,
    all_locations: all.map((place) => (listed.includes(place) ? { ...place, is_headquarter: true } : place)),
  }
}

function addressOf({ country, geographic_area: area, city, postal_code: code, address_line1: line }: CompanyLocation) {
  return JSON.stringify([country, area, city, code, line])
}

/** The same city, and nothing that both say contradicts it; an area may be a name here and a code there. */
function mayBeSame(a: CompanyLocation, b: CompanyLocation): boolean {
  const agrees = (one: string | null, two: string | null) => one === null || two === null || fold(one) === fold(two)
  const others = agrees(a.country, b.country) && agrees(a.postal_code, b.postal_code)
  return (
    a.city !== null && b.city !== null && agrees(a.city, b.city) && others && agrees(a.address_line1, b.address_line1)
  )
}

function fold(part: string): string {
  return part
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
