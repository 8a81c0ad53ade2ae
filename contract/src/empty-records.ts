import type { Company } from './company.ts'
import type { ContactInfo, Person, Verifications } from './person.ts'

/** A person of whom nothing is known, in the contract's key order. */
export function emptyPerson(memberUrn = '', entityUrn = ''): Person {
  return {
    member_urn: memberUrn,
    entity_urn: entityUrn,
    public_identifier: null,
    first_name: null,
    last_name: null,
    headline: null,
    summary: null,
    industry: null,
    profile_photo_url: null,
    background_photo_url: null,
    profile_url: null,
    websites: [],
    is_memorialized: false,
    location: { name: null, city: null, country: null, country_code: null },
    network_info: null,
    badges: {
      premium: false,
      creator: false,
      influencer: false,
      top_voice: false,
      open_to_work: false,
      is_hiring: false,
    },
    verifications: null,
    contact_info: null,
    experience: [],
    education: [],
    skills: [],
    certifications: [],
    courses: [],
    honors: [],
    languages: [],
    organizations: [],
    patents: [],
    projects: [],
    publications: [],
    test_scores: [],
    volunteer_experiences: [],
  }
}

/** A company of which nothing is supplied, in the contract's key order. */
export function emptyCompany(): Company {
  return {
    company_id: null,
    public_identifier: null,
    company_name: null,
    tagline: null,
    description: null,
    company_type: null,
    locations: null,
    industries: null,
    specialities: null,
    staff_info: null,
    followers_count: null,
    founded_on: null,
    platform_url: null,
    company_url: null,
    logo_url: null,
    background_photo_url: null,
    cover_image_url: null,
    call_to_action: null,
    phone_number: null,
    auto_generated: null,
    claimable: null,
    is_paid: null,
    is_showcase: null,
    funding_data: null,
    showcase_pages: null,
    affiliated_companies: null,
  }
}

/** The contact details of a person of whom none is known. */
export function emptyContact(): ContactInfo {
  return {
    email_address: null,
    websites: [],
    twitter_handles: [],
    phone_numbers: [],
    birth_date: null,
    address: null,
  }
}

/** The verification details of a person of whom none is known. */
export function emptyVerifications(): Verifications {
  return { is_verified: false, joined_date: null, sections: [] }
}
