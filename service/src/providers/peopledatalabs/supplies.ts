import { type Sections, type Supplies, under } from '@vitae/provider'

const place = ['country', 'geographic_area', 'city', 'postal_code', 'address_line1', 'is_headquarter']

/**
 * The fields that People Data Labs can fill. It has no pictures, no badges, no verifications and few of the sections.
 */
export const supplies: Supplies = {
  people: new Set([
    ...['member_urn', 'entity_urn', 'public_identifier', 'first_name', 'last_name', 'headline', 'summary'],
    ...['industry', 'skills', 'profile_url', 'websites'],
    ...under('location', 'name', 'city', 'country', 'country_code'),
    'network_info.connections_count',
    ...under('contact_info', 'email_address', 'twitter_handles', 'phone_numbers', 'birth_date', 'address'),
    ...under('experience', 'company_name', 'company_id', 'company_url', 'company_industry'),
    ...under('experience', 'company_employee_count_range', 'date_range'),
    ...under('experience.positions', 'title', 'description', 'location_name', 'date_range'),
    ...under('education', 'school_name', 'school_id', 'school_url', 'company_id', 'degree', 'field_of_study'),
    ...under('education', 'grade', 'description', 'date_range'),
    ...under('certifications', 'name', 'title', 'company', 'date_range'),
    ...under('languages', 'name', 'title', 'proficiency'),
  ]),
  companies: new Set([
    ...['company_id', 'public_identifier', 'company_name', 'tagline', 'description', 'specialities'],
    ...['followers_count', 'founded_on', 'platform_url', 'company_url', 'is_showcase'],
    ...under('company_type', 'type_code', 'type_name'),
    ...under('locations.headquarter', ...place),
    ...under('locations.all_locations', ...place),
    'industries.name',
    ...under('staff_info', 'staff_count', 'staff_range'),
    'funding_data.num_of_funding_rounds',
    ...under('funding_data.last_funding_round', 'funding_type', 'announced_on'),
    ...under('affiliated_companies', 'public_identifier', 'company_url'),
  ]),
}

/** The payload keys of each section. Small plans have `true` in place of hidden values. */
export const sections: Sections = {
  people: {
    headline: ['headline'],
    summary: ['summary'],
    industry: ['industry'],
    location: ['location_name', 'location_locality', 'location_country'],
    experience: ['experience'],
    education: ['education'],
    skills: ['skills'],
    certifications: ['certifications'],
    languages: ['languages'],
  },
  companies: {
    tagline: ['headline'],
    description: ['summary'],
    company_type: ['type'],
    locations: ['location', 'locations'],
    industries: ['industry', 'industry_v2'],
    specialities: ['tags'],
    founded_on: ['founded'],
    funding_data: ['number_funding_rounds', 'latest_funding_stage', 'last_funding_date'],
    affiliated_companies: ['affiliated_profiles'],
  },
}
