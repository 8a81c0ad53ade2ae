import Type, { type Static } from 'typebox'
import { PartialDate } from './dates.ts'
import { closed, Count, Flag, HeadcountRange, nullable, Text } from '../shapes.ts'

export const CompanyType = closed({ type_code: Text, type_name: Text })

export const CompanyLocation = closed({
  country: nullable(Type.String({ pattern: '^[a-z]{2}$', description: 'ISO 3166-1 alpha-2, lower case.' })),
  geographic_area: Text,
  city: Text,
  postal_code: Text,
  address_line1: Text,
  is_headquarter: Flag,
})

export const Industry = closed({ id: Text, name: Text })

export const Money = closed({
  amount: nullable(Type.Number({ description: 'The amount in whole units of the currency. It may exceed 32 bits.' })),
  currency: nullable(Type.String({ description: 'ISO 4217, lower case.' })),
})

export const Investor = closed({ name: Text, logo: Text, investor_url: Text })

export const FundingRound = closed({
  funding_type: Text,
  money_raised: nullable(Money),
  announced_on: nullable(PartialDate),
  lead_investors: nullable(Type.Array(Investor)),
  num_of_other_investors: Count,
  round_url: Text,
})

export const CompanySummary = closed({
  company_name: Text,
  public_identifier: Text,
  entity_urn: Text,
  company_url: Text,
  description: Text,
  logo_url: Text,
  followers_count: Count,
  industries: nullable(Type.Array(Industry)),
  is_paid: Flag,
  is_showcase: Flag,
})

/** The company record. Every key is always present, in the contract's order, and may be null. */
export const Company = closed(
  {
    company_id: nullable(Type.String({ description: 'The durable key of a company.' })),
    public_identifier: nullable(Type.String({ description: 'The slug. Its owner can change it.' })),
    company_name: Text,
    tagline: Text,
    description: Text,
    company_type: nullable(CompanyType),
    locations: nullable(
      closed({
        headquarter: nullable(CompanyLocation),
        all_locations: nullable(Type.Array(CompanyLocation)),
      }),
    ),
    industries: nullable(Type.Array(Industry)),
    specialities: nullable(Type.Array(Type.String())),
    staff_info: nullable(closed({ staff_count: Count, staff_range: nullable(HeadcountRange) })),
    followers_count: Count,
    founded_on: nullable(PartialDate),
    platform_url: Text,
    company_url: Text,
    logo_url: Text,
    background_photo_url: Text,
    cover_image_url: Text,
    call_to_action: nullable(closed({ text: Text, url: Text })),
    phone_number: Text,
    auto_generated: Flag,
    claimable: Flag,
    is_paid: Flag,
    is_showcase: Flag,
    funding_data: nullable(
      closed({
        num_of_funding_rounds: Count,
        last_funding_round: nullable(FundingRound),
      }),
    ),
    showcase_pages: nullable(Type.Array(CompanySummary)),
    affiliated_companies: nullable(Type.Array(CompanySummary)),
  },
  'One company.',
)

export type Company = Static<typeof Company>
export type CompanyLocation = Static<typeof CompanyLocation>
export type Industry = Static<typeof Industry>
export type FundingRound = Static<typeof FundingRound>
export type CompanySummary = Static<typeof CompanySummary>
export type Investor = Static<typeof Investor>
