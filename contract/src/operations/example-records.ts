import type { Company } from '../records/company.ts'
import type { DateRange, PersonDate } from '../records/dates.ts'
import type { Person } from '../records/person.ts'

// All people and companies here are fictional.

function month(year: number, month: number): PersonDate {
  return { year, month, day: null, iso: `${year}-${String(month).padStart(2, '0')}` }
}

function since(start: PersonDate, end: PersonDate | null = null): DateRange {
  return { start, end }
}

/** A person with one promotion, without optional parts. */
export const examplePerson: Person = {
  member_urn: 'urn:li:member:900000417',
  entity_urn: 'urn:li:fsd_profile:ACoAAFICTIONAL0000417',
  public_identifier: 'ilse-varga-lindqvist',
  first_name: 'Ilse',
  last_name: 'Varga-Lindqvist',
  headline: 'Head of Calibration at Tidewater Instruments',
  summary: 'I make sensors tell the truth in cold water.',
  industry: 'Measuring and Control Instrument Manufacturing',
  profile_photo_url: 'https://media.example.com/people/ilse-varga-lindqvist/photo.jpg',
  background_photo_url: null,
  profile_url: 'https://www.linkedin.com/in/ilse-varga-lindqvist',
  websites: ['https://www.linkedin.com/in/ilse-varga-lindqvist'],
  is_memorialized: false,
  location: { name: 'Bergen, Vestland, Norway', city: 'Bergen', country: 'Norway', country_code: 'NO' },
  network_info: null,
  badges: {
    premium: false,
    creator: false,
    influencer: false,
    top_voice: false,
    open_to_work: false,
    is_hiring: true,
  },
  verifications: null,
  contact_info: null,
  experience: [
    {
      company_name: 'Tidewater Instruments',
      company_id: '900004711',
      company_url: 'https://www.linkedin.com/company/tidewater-instruments-example',
      company_logo_url: null,
      company_industry: 'Measuring and Control Instrument Manufacturing',
      company_employee_count_range: { start: 51, end: 200 },
      workplace_type: null,
      date_range: since(month(2019, 3)),
      positions: [
        {
          title: 'Head of Calibration',
          description: null,
          location_name: 'Bergen, Norway',
          employment_type: 'Full-time',
          date_range: since(month(2023, 1)),
        },
        {
          title: 'Calibration Engineer',
          description: 'Built the pressure bench.',
          location_name: 'Bergen, Norway',
          employment_type: 'Full-time',
          date_range: since(month(2019, 3), month(2022, 12)),
        },
      ],
    },
  ],
  education: [
    {
      school_name: 'Fjordgard Institute of Technology',
      school_id: '900000815',
      school_url: 'https://www.linkedin.com/school/fjordgard-example',
      school_logo_url: null,
      company_id: '900000815',
      degree: 'MSc',
      field_of_study: 'Metrology',
      grade: null,
      activities: null,
      description: null,
      date_range: since(
        { year: 2014, month: null, day: null, iso: '2014' },
        { year: 2019, month: null, day: null, iso: '2019' },
      ),
    },
  ],
  skills: ['Metrology', 'Oceanographic instruments'],
  certifications: [],
  courses: [],
  honors: [],
  languages: [
    {
      name: 'Norwegian',
      title: null,
      description: null,
      url: null,
      image_url: null,
      company: null,
      company_id: null,
      position_held: null,
      date_range: null,
      proficiency: 'Native or bilingual proficiency',
    },
  ],
  organizations: [],
  patents: [],
  projects: [],
  publications: [],
  test_scores: [],
  volunteer_experiences: [],
}

const headquarter = {
  country: 'no',
  geographic_area: 'Vestland',
  city: 'Bergen',
  postal_code: '5003',
  address_line1: 'Prøvekaien 12',
  is_headquarter: true,
}

/** A company with one funding round, whose amount exceeds 32 bits. */
export const exampleCompany: Company = {
  company_id: '900004711',
  public_identifier: 'tidewater-instruments-example',
  company_name: 'Tidewater Instruments',
  tagline: 'Sensors for cold water',
  description: 'Tidewater Instruments builds pressure and salinity sensors for moorings.',
  company_type: { type_code: 'PRIVATELY_HELD', type_name: 'Privately Held' },
  locations: { headquarter, all_locations: [headquarter] },
  industries: [{ id: '3247', name: 'Measuring and Control Instrument Manufacturing' }],
  specialities: ['Salinity', 'Moorings'],
  staff_info: { staff_count: 128, staff_range: { start: 51, end: 200 } },
  followers_count: 4210,
  founded_on: { year: 2009, month: null, day: null },
  platform_url: 'https://www.linkedin.com/company/tidewater-instruments-example',
  company_url: 'https://tidewater.example.com',
  logo_url: 'https://media.example.com/companies/tidewater/logo.png',
  background_photo_url: null,
  cover_image_url: null,
  call_to_action: { text: 'Visit website', url: 'https://tidewater.example.com' },
  phone_number: null,
  auto_generated: false,
  claimable: false,
  is_paid: true,
  is_showcase: false,
  funding_data: {
    num_of_funding_rounds: 2,
    last_funding_round: {
      funding_type: 'Series B',
      money_raised: { amount: 4_800_000_000, currency: 'nok' },
      announced_on: { year: 2024, month: 5, day: 14 },
      lead_investors: [{ name: 'Skerry Capital', logo: null, investor_url: 'https://skerry.example.com' }],
      num_of_other_investors: 3,
      round_url: 'https://funding.example.com/rounds/tidewater-series-b',
    },
  },
  showcase_pages: [],
  affiliated_companies: [],
}
