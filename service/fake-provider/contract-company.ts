import { type Company, emptyCompany } from '@vitae/contract'
import { fictionalCompany } from './fiction.ts'

/** The fictional company of a slug in the contract's shape. */
export function contractCompany(slug: string): Company {
  const what = fictionalCompany(slug)
  const headquarter = {
    country: what.place.countryCode.toLowerCase(),
    geographic_area: what.place.region,
    city: what.place.city,
    postal_code: what.postalCode,
    address_line1: what.street,
    is_headquarter: true,
  }
  const [year = 2000, month = 1, day = 1] = what.funding.date.split('-').map(Number)
  return {
    ...emptyCompany(),
    company_id: String(what.number),
    public_identifier: what.slug,
    company_name: what.name,
    tagline: what.tagline,
    description: what.description,
    company_type: { type_code: what.typeCode, type_name: what.typeName },
    locations: { headquarter, all_locations: [headquarter] },
    industries: [{ id: '7', name: what.industry }],
    specialities: what.specialities,
    staff_info: {
      staff_count: what.staffCount,
      staff_range: { start: what.staffRange[0], end: what.staffRange[1] },
    },
    followers_count: what.followers,
    founded_on: { year: what.foundedYear, month: null, day: null },
    platform_url: `https://www.linkedin.com/company/${encodeURIComponent(what.slug)}`,
    company_url: what.website,
    auto_generated: false,
    claimable: false,
    is_paid: false,
    is_showcase: false,
    funding_data: {
      num_of_funding_rounds: what.funding.rounds,
      last_funding_round: {
        funding_type: what.funding.type,
        money_raised: { amount: what.funding.amount, currency: 'usd' },
        announced_on: { year, month, day },
        lead_investors: [{ name: what.funding.investor, logo: null, investor_url: null }],
        num_of_other_investors: 0,
        round_url: null,
      },
    },
    showcase_pages: [],
    affiliated_companies: [],
  }
}
