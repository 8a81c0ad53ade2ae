import type { ExperienceGroup, Person, PersonDate, SectionItem } from '@vitae/contract'
import { fictionalPerson, type FictionalJob, type FictionalMonth } from './fiction.ts'

function date(at: FictionalMonth | null): PersonDate | null {
  return at && { year: at.year, month: at.month, day: null, iso: `${at.year}-${String(at.month).padStart(2, '0')}` }
}

function year(value: number): PersonDate {
  return { year: value, month: null, day: null, iso: String(value) }
}

function group(jobs: FictionalJob[]): ExperienceGroup {
  const [newest, oldest] = [jobs[0] as FictionalJob, jobs.at(-1) as FictionalJob]
  const { company } = newest
  return {
    company_name: company.name,
    company_id: String(company.number),
    company_url: `https://www.linkedin.com/company/${company.slug}`,
    company_logo_url: null,
    company_industry: company.industry,
    company_employee_count_range: { start: company.staffRange[0], end: company.staffRange[1] },
    workplace_type: null,
    date_range: { start: date(oldest.start), end: date(newest.end) },
    positions: jobs.map((job) => ({
      title: job.title,
      description: null,
      location_name: company.place.city,
      employment_type: 'Full-time',
      date_range: { start: date(job.start), end: date(job.end) },
    })),
  }
}

function item(name: string, company: string | null, url: string | null, start: FictionalMonth | null): SectionItem {
  return {
    name,
    title: name,
    description: null,
    url,
    image_url: null,
    company,
    company_id: null,
    position_held: null,
    date_range: start && { start: date(start), end: null },
  }
}

/** The fictional person of a slug in the shape of the contract. */
export function contractPerson(slug: string): Person {
  const who = fictionalPerson(slug)
  const page = `https://www.linkedin.com/in/${encodeURIComponent(who.slug)}`
  const [birthYear = 1970, birthMonth = 1, birthDay = 1] = who.birthDate.split('-').map(Number)
  return {
    member_urn: `urn:li:member:${who.memberNumber}`,
    entity_urn: `urn:li:fsd_profile:${who.opaqueId}`,
    public_identifier: who.slug,
    first_name: who.firstName,
    last_name: who.lastName,
    headline: who.headline,
    summary: who.summary,
    industry: who.industry,
    profile_photo_url: null,
    background_photo_url: null,
    profile_url: page,
    websites: [page],
    is_memorialized: false,
    location: {
      name: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
      city: who.place.city,
      country: who.place.country,
      country_code: who.place.countryCode,
    },
    network_info: { followers_count: who.followers, connections_count: who.connections, custom_action: null },
    badges: {
      premium: true,
      creator: false,
      influencer: false,
      top_voice: false,
      open_to_work: false,
      is_hiring: false,
    },
    verifications: { is_verified: true, joined_date: 'May 2014', sections: [] },
    contact_info: {
      email_address: who.email,
      websites: [],
      twitter_handles: [],
      phone_numbers: [],
      birth_date: { year: birthYear, month: birthMonth, day: birthDay, iso: who.birthDate },
      address: null,
    },
    experience: [group(who.jobs.slice(0, 2)), group(who.jobs.slice(2))],
    education: [
      {
        school_name: who.school.name,
        school_id: String(who.school.number),
        school_url: `https://www.linkedin.com/school/${who.school.slug}`,
        school_logo_url: null,
        company_id: String(who.school.number),
        degree: who.school.degree,
        field_of_study: who.school.field,
        grade: null,
        activities: null,
        description: null,
        date_range: { start: year(who.school.from), end: year(who.school.to) },
      },
    ],
    skills: who.skills,
    certifications: [item(who.certificate.name, who.certificate.issuer, who.certificate.url, who.certificate.issued)],
    courses: [],
    honors: [],
    languages: who.languages.map(({ name, proficiency }) => ({ ...item(name, null, null, null), proficiency })),
    organizations: [],
    patents: [],
    projects: [],
    publications: [],
    test_scores: [],
    volunteer_experiences: [],
  }
}
