import type { Company, ExperienceGroup, Person, PersonDate, Position } from '../src/index.ts'

/** A person's date object for `2019`, `2019-03` or `2019-03-07`. */
export function date(iso: string): PersonDate {
  const [year = 0, month = null, day = null] = iso.split('-').map(Number)
  return { year, month, day, iso }
}

export function position(title: string | null, start: string | null, end: string | null = null): Position {
  return {
    title,
    description: null,
    location_name: null,
    employment_type: null,
    date_range: { start: start === null ? null : date(start), end: end === null ? null : date(end) },
  }
}

export function employer(id: string | null, name: string | null, ...positions: Position[]): ExperienceGroup {
  return {
    company_name: name,
    company_id: id,
    company_url: null,
    company_logo_url: null,
    company_industry: null,
    company_employee_count_range: { start: null, end: null },
    workplace_type: null,
    date_range: null,
    positions,
  }
}

/** A fictional person with the given work history. */
export function person(...experience: ExperienceGroup[]): Person {
  return {
    member_urn: 'urn:vitae:member:1',
    entity_urn: 'urn:li:fsd_profile:ACoAAFICTIONAL',
    public_identifier: 'mira-fictional',
    first_name: 'Mira',
    last_name: 'Fictional',
    headline: 'Builds bridges that do not exist',
    summary: null,
    industry: null,
    profile_photo_url: null,
    background_photo_url: null,
    profile_url: null,
    websites: [],
    is_memorialized: false,
    location: { name: 'Nowhere, Utopia', city: 'Nowhere', country: 'Utopia', country_code: 'UT' },
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
    experience,
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

/** A fictional company. */
export function company(parts: Partial<Company> = {}): Company {
  return {
    company_id: '4711',
    public_identifier: 'unreal-bridges',
    company_name: 'Unreal Bridges',
    tagline: null,
    description: null,
    company_type: null,
    locations: null,
    industries: null,
    specialities: null,
    staff_info: { staff_count: null, staff_range: { start: 11, end: 50 } },
    followers_count: null,
    founded_on: null,
    platform_url: null,
    company_url: 'unreal-bridges.example',
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
    ...parts,
  }
}
