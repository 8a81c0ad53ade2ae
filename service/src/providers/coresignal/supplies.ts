import { type Sections, type Supplies, under } from '@vitae/provider'

const place = ['country', 'geographic_area', 'city', 'postal_code', 'address_line1', 'is_headquarter']
const label = ['name', 'title', 'description']

/** The fields that Coresignal can fill. Its company ids are its own and stay out of the record. */
export const supplies: Supplies = {
  people: new Set([
    ...['member_urn', 'entity_urn', 'public_identifier', 'first_name', 'last_name', 'headline', 'summary', 'skills'],
    ...['websites', 'profile_photo_url', 'profile_url'],
    ...under('location', 'name', 'city', 'country', 'country_code'),
    ...under('network_info', 'followers_count', 'connections_count'),
    'contact_info.email_address',
    ...under('experience', 'company_name', 'company_id', 'company_url', 'company_logo_url', 'company_industry'),
    ...under('experience', 'company_employee_count_range', 'date_range'),
    ...under('experience.positions', 'title', 'description', 'location_name', 'date_range'),
    ...under('education', 'school_name', 'school_id', 'school_url', 'company_id', 'degree', 'field_of_study'),
    ...under('education', 'activities', 'description', 'date_range'),
    ...under('certifications', ...label, 'url', 'company', 'company_id', 'date_range'),
    ...under('courses', ...label, 'company'),
    ...under('honors', ...label, 'company', 'date_range'),
    ...under('languages', 'name', 'title', 'proficiency'),
    ...under('organizations', ...label, 'position_held', 'date_range'),
    ...under('patents', ...label, 'url', 'date_range'),
    ...under('projects', ...label, 'url', 'date_range'),
    ...under('publications', ...label, 'url', 'company', 'date_range'),
  ]),
  companies: new Set([
    ...['company_id', 'public_identifier', 'company_name', 'description', 'specialities', 'followers_count'],
    ...['founded_on', 'platform_url', 'company_url', 'logo_url', 'phone_number', 'is_showcase'],
    ...under('company_type', 'type_code', 'type_name'),
    ...under('locations.headquarter', ...place),
    ...under('locations.all_locations', ...place),
    'industries.name',
    ...under('staff_info', 'staff_count', 'staff_range'),
    'funding_data.num_of_funding_rounds',
    ...under('funding_data.last_funding_round', 'funding_type', 'money_raised', 'announced_on'),
    ...under('funding_data.last_funding_round.lead_investors', 'name', 'investor_url'),
    ...under('funding_data.last_funding_round', 'num_of_other_investors', 'round_url'),
    ...under('affiliated_companies', 'company_name', 'public_identifier', 'company_url'),
  ]),
}

/** The payload keys of each section. Lists without entries are empty, never null. */
export const sections: Sections = {
  people: {
    headline: ['headline'],
    summary: ['summary'],
    location: ['location_full', 'location_city', 'location_country', 'location_country_iso2'],
    experience: ['experience'],
    education: ['education'],
    skills: ['inferred_skills'],
    certifications: ['certifications'],
    courses: ['courses'],
    honors: ['awards'],
    languages: ['languages'],
    organizations: ['organizations'],
    patents: ['patents'],
    projects: ['projects'],
    publications: ['publications'],
  },
  companies: {
    description: ['description'],
    company_type: ['type'],
    locations: [
      ...['company_locations_full', 'hq_country', 'hq_country_iso2', 'hq_location', 'hq_full_address'],
      ...['locations_full', 'location_hq_country', 'location_hq_raw_address'],
      ...['company_locations_collection', 'headquarters_country', 'headquarters_country_parsed'],
      'headquarters_new_address',
    ],
    industries: ['industry'],
    specialities: ['specialities', 'company_specialties_collection'],
    founded_on: ['founded_year', 'founded'],
    funding_data: ['funding_rounds', 'last_funding_round_name', 'company_funding_rounds_collection'],
    affiliated_companies: ['company_affiliated_collection'],
  },
}
