import { emptyContact, emptyPerson, type ExperienceGroup, type Person, type PersonDate } from '@vitae/contract'
import { educationItem, sectionItem } from '@vitae/provider'
import { fictionalPerson, type FictionalJob, type FictionalMonth, type FictionalPerson } from './fiction.ts'

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

/** The fictional person of a slug in the contract's shape. */
export function contractPerson(slug: string, told?: Partial<FictionalPerson>): Person {
  const who = fictionalPerson(slug, told)
  const jobs = Object.values(Object.groupBy(who.jobs, ({ company }) => company.slug))
  const { name, issuer, url, issued } = who.certificate
  const page = `https://www.linkedin.com/in/${encodeURIComponent(who.slug)}`
  const [birthYear = 1970, birthMonth = 1, birthDay = 1] = who.birthDate.split('-').map(Number)
  const empty = emptyPerson(`urn:li:member:${who.memberNumber}`, `urn:li:fsd_profile:${who.opaqueId}`)
  return {
    ...empty,
    public_identifier: who.slug,
    first_name: who.firstName,
    last_name: who.lastName,
    headline: who.headline,
    summary: who.summary,
    industry: who.industry,
    profile_url: page,
    websites: [page],
    location: {
      name: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
      city: who.place.city,
      country: who.place.country,
      country_code: who.place.countryCode,
    },
    network_info: { followers_count: who.followers, connections_count: who.connections, custom_action: null },
    badges: { ...empty.badges, premium: true },
    verifications: { is_verified: true, joined_date: 'May 2014', sections: [] },
    contact_info: {
      ...emptyContact(),
      email_address: who.email,
      phone_numbers: who.phones,
      birth_date: { year: birthYear, month: birthMonth, day: birthDay, iso: who.birthDate },
    },
    experience: jobs.flatMap((held) => (held ? group(held) : [])),
    education: [
      educationItem({
        school_name: who.school.name,
        school_id: String(who.school.number),
        school_url: `https://www.linkedin.com/school/${who.school.slug}`,
        company_id: String(who.school.number),
        degree: who.school.degree,
        field_of_study: who.school.field,
        date_range: { start: year(who.school.from), end: year(who.school.to) },
      }),
    ],
    skills: who.skills,
    certifications: [sectionItem({ name, url, company: issuer, date_range: { start: date(issued), end: null } })],
    languages: who.languages.map(({ name: language, proficiency }) => ({
      ...sectionItem({ name: language }),
      proficiency,
    })),
  }
}
