import type { Company, CompanyLocation } from '@vitae/contract'

/** The places of a company, with the headquarters flagged in the list of all places too. */
export function companyLocations(
  headquarter: CompanyLocation | null,
  all: readonly CompanyLocation[],
): Company['locations'] {
  if (!headquarter) return { headquarter, all_locations: [...all] }
  const isHeadquarter = (place: CompanyLocation) => addressOf(place) === addressOf(headquarter)
  return {
    headquarter: { ...headquarter, is_headquarter: true },
    all_locations: all.map((place) => (isHeadquarter(place) ? { ...place, is_headquarter: true } : place)),
  }
}

function addressOf({ country, geographic_area: area, city, postal_code: code, address_line1: line }: CompanyLocation) {
  return JSON.stringify([country, area, city, code, line])
}
