import { type Sections, type Supplies, under } from '@vitae/provider'

const summary = ['company_name', 'public_identifier', 'entity_urn', 'company_url', 'industries.name', 'is_showcase']
const place = ['country', 'geographic_area', 'city', 'postal_code', 'address_line1', 'is_headquarter']
const label = ['name', 'title']

/**
 * The fields that Enrich Layer can fill. It has no ids of people, no badges, no verifications and no employment types.
 */
export const supplies: Supplies = {
  people: new Set([
    ...['member_urn', 'entity_urn', 'public_identifier', 'first_name', 'last_name', 'headline', 'summary'],
    ...['industry', 'skills', 'websites', 'profile_photo_url', 'background_photo_url', 'profile_url'],
    ...under('location', 'name', 'city', 'country', 'country_code'),
    ...under('network_info', 'followers_count', 'connections_count'),
    ...under('contact_info', 'email_address', 'websites.url', 'twitter_handles', 'phone_numbers', 'birth_date'),
    ...under('experience', 'company_name', 'company_id', 'company_url', 'company_logo_url', 'date_range'),
    ...under('experience.positions', 'title', 'description', 'location_name', 'date_range'),
    ...under('education', 'school_name', 'school_id', 'school_url', 'school_logo_url', 'company_id', 'degree'),
    ...under('education', 'field_of_study', 'grade', 'activities', 'description', 'date_range'),
    ...under('certifications', ...label, 'description', 'url', 'company', 'date_range'),
    ...under('courses', ...label, 'description'),
    ...under('honors', ...label, 'description', 'company', 'date_range'),
    ...under('languages', ...label, 'proficiency'),
    ...under('organizations', ...label, 'description', 'position_held', 'date_range'),
    ...under('patents', ...label, 'description', 'url', 'company', 'date_range'),
    ...under('projects', ...label, 'description', 'url', 'date_range'),
    ...under('publications', ...label, 'description', 'url', 'company', 'date_range'),
    ...under('test_scores', ...label, 'description', 'date_range'),
    ...under('volunteer_experiences', ...label, 'description', 'url', 'image_url', 'company', 'company_id'),
    ...under('volunteer_experiences', 'position_held', 'date_range'),
  ]),
  companies: new Set([
    ...['company_id', 'public_identifier', 'company_name', 'tagline', 'description', 'specialities'],
    ...['followers_count', 'founded_on', 'platform_url', 'company_url', 'logo_url', 'background_photo_url'],
    'phone_number',
    ...under('company_type', 'type_code', 'type_name'),
    ...under('locations.headquarter', ...place),
    ...under('locations.all_locations', ...place),
    'industries.name',
    ...under('staff_info', 'staff_count', 'staff_range'),
    'funding_data.num_of_funding_rounds',
    ...under('funding_data.last_funding_round', 'funding_type', 'money_raised', 'announced_on'),
    ...under('funding_data.last_funding_round.lead_investors', 'name', 'investor_url'),
    ...under('funding_data.last_funding_round', 'num_of_other_investors'),
    ...under('showcase_pages', ...summary),
    ...under('affiliated_companies', ...summary),
  ]),
}

/** The payload keys of each section. Parts that were not requested are null. */
export const sections: Sections = {
  people: {
    headline: ['headline'],
    summary: ['summary'],
    industry: ['industry'],
    location: ['country', 'country_full_name', 'city', 'state'],
    experience: ['experiences'],
    education: ['education'],
    skills: ['skills'],
    certifications: ['certifications'],
    courses: ['accomplishment_courses'],
    honors: ['accomplishment_honors_awards'],
    languages: ['languages_and_proficiencies', 'languages'],
    organizations: ['accomplishment_organisations'],
    patents: ['accomplishment_patents'],
    projects: ['accomplishment_projects'],
    publications: ['accomplishment_publications'],
    test_scores: ['accomplishment_test_scores'],
    volunteer_experiences: ['volunteer_work'],
  },
  companies: {
    tagline: ['tagline'],
    description: ['description'],
    company_type: ['company_type'],
    locations: ['locations', 'hq'],
    industries: ['industry'],
    specialities: ['specialities'],
    founded_on: ['founded_year'],
    funding_data: ['funding_data'],
    showcase_pages: ['affiliated_companies'],
    affiliated_companies: ['affiliated_companies'],
  },
}
