import type { CompanyLocation } from '@vitae/contract'
import type { Chance } from './vocabulary/chance.ts'
import type { CompanyCore } from './company-core.ts'

/** One to three offices in the company's country, the headquarter first. */
export function companyLocations(chance: Chance, { place }: CompanyCore) {
  const offices = chance
    .several(place.cities, chance.whole(1, 3))
    .map(([city, area, postalCode], index): CompanyLocation => ({
      country: place.code.toLowerCase(),
      geographic_area: area,
      city,
      postal_code: postalCode,
      address_line1: chance.pick(place.streets),
      is_headquarter: index === 0,
    }))
  return { headquarter: offices[0] ?? null, all_locations: offices }
}

/** A number from the ranges that regulators keep free for fiction. */
export function fictionalPhone(chance: Chance, countryCode: string): string {
  const line = String(chance.whole(0, 99)).padStart(2, '0')
  if (countryCode === 'GB') return `+44 1632 9600${line}`
  if (countryCode === 'DE') return `+49 30 231250${line}`
  return `+1 202-555-01${line}`
}
