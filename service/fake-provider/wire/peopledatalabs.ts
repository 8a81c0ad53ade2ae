import { fictionalCompany, fictionalPerson, type FictionalMonth, type FictionalPerson } from '../fiction.ts'
import { hasHeader, recordFor, slugIn, slugOfDomain, slugOfMatch, type FakeReply, type Wire } from './wire.ts'

function month(at: FictionalMonth | null): string | null {
  return at && `${at.year}-${String(at.month).padStart(2, '0')}`
}

function size([low, high]: [number, number | null]): string {
  return high === null ? `${low}+` : `${low}-${high}`
}

function person(slug: string, told?: Partial<FictionalPerson>) {
  const who = fictionalPerson(slug, told)
  return {
    id: `pdl-${who.slug}_0000`,
    full_name: `${who.firstName} ${who.lastName}`,
    first_name: who.firstName,
    last_name: who.lastName,
    birth_date: who.birthDate,
    linkedin_url: `linkedin.com/in/${who.slug}`,
    linkedin_username: who.slug,
    linkedin_id: String(who.memberNumber),
    headline: who.headline,
    summary: who.summary,
    industry: who.industry,
    location_name: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
    location_locality: who.place.city,
    location_country: who.place.country,
    location_last_updated: '2026-09-01',
    job_last_verified: '2026-09-20',
    linkedin_connections: who.connections,
    recommended_personal_email: who.email,
    phone_numbers: [],
    skills: who.skills,
    experience: who.jobs.toReversed().map(({ company, title, start, end }) => ({
      company: {
        id: `pdl-${company.slug}`,
        name: company.name,
        size: size(company.staffRange),
        industry: company.industry,
        linkedin_url: `linkedin.com/company/${company.slug}`,
        linkedin_id: String(company.number),
      },
      title: { name: title },
      location_names: [company.place.city],
      start_date: month(start),
      end_date: month(end),
      is_primary: end === null,
    })),
    education: [
      {
        school: {
          name: who.school.name,
          linkedin_id: String(who.school.number),
          linkedin_url: `linkedin.com/school/${who.school.slug}`,
        },
        degrees: [who.school.degree],
        majors: [who.school.field],
        start_date: String(who.school.from),
        end_date: String(who.school.to),
      },
    ],
    certifications: [
      {
        name: who.certificate.name,
        organization: who.certificate.issuer,
        start_date: month(who.certificate.issued),
        end_date: null,
      },
    ],
    languages: who.languages.map(({ name, level }) => ({ name, proficiency: level })),
    dataset_version: 'v32.1',
  }
}

function company(slug: string) {
  const what = fictionalCompany(slug)
  return {
    id: `pdl-${what.slug}`,
    name: what.name.toLowerCase(),
    display_name: what.name,
    size: size(what.staffRange),
    employee_count: what.staffCount,
    linkedin_follower_count: what.followers,
    founded: what.foundedYear,
    industry: what.industry,
    location: {
      locality: what.place.city,
      region: what.place.region,
      country: what.place.country,
      street_address: what.street,
      postal_code: what.postalCode,
    },
    linkedin_id: String(what.number),
    linkedin_url: `linkedin.com/company/${what.slug}`,
    linkedin_slug: what.slug,
    website: what.website,
    type: what.typeCode === 'PUBLIC_COMPANY' ? 'public' : 'private',
    headline: what.tagline,
    summary: what.description,
    tags: what.specialities,
    affiliated_profiles: [],
    total_funding_raised: what.funding.amount,
    latest_funding_stage: what.funding.type.toLowerCase().replace(' ', '_'),
    last_funding_date: what.funding.date,
    number_funding_rounds: what.funding.rounds,
    dataset_version: 'v32.1',
  }
}

/** Without `titlecase=true` every text is in lower case. */
function inCase(record: unknown, titlecase: boolean): unknown {
  return titlecase ? record : (JSON.parse(JSON.stringify(record, lowered)) as unknown)
}

function lowered(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value
}

function error(status: number): FakeReply {
  const type = status === 404 ? 'not_found' : 'error'
  return { status, body: { status, error: { type, message: `fault ${status}` } } }
}

/** The inputs that agreed; some slugs exclude the address. */
function matchedOf(query: URLSearchParams, slug: string | null): string[] {
  const given = ['email', 'phone', 'name', 'first_name', 'last_name', 'company'].filter((name) => query.has(name))
  return slug?.endsWith('-by-name') ? given.filter((name) => name !== 'email') : given
}

/** People Data Labs: a person is in `data`, a company beside `status`. */
export const peopledatalabs: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'x-api-key', key),
  error,
  answer({ path, query }, world) {
    const profile = query.get('profile') ?? `in/${query.get('lid')}`
    const asked = query.has('profile') || query.has('lid') ? null : slugOfMatch(query)
    const slug = slugOfDomain(query.get('website')) ?? asked ?? slugIn(`/${profile}`)
    // Slugs control the likelihood, so that tests can request one.
    const likelihood = slug?.endsWith('-unlikely') ? 5 : 9
    if (likelihood < Number(query.get('min_likelihood') ?? 1)) return error(404)
    const headers = { 'x-call-credits-spent': '1', 'x-ratelimit-remaining': '{"minute":99,"day":null,"month":null}' }
    const titlecase = query.get('titlecase') === 'true'
    if (path === '/v5/person/enrich') {
      const record = recordFor(world, 'people', slug, person)
      if (record === null) return error(404)
      const matched = query.get('include_if_matched') === 'true' ? { matched: matchedOf(query, slug) } : {}
      return { status: 200, headers, body: { status: 200, likelihood, ...matched, data: inCase(record, titlecase) } }
    }
    const record = path === '/v5/company/enrich' ? recordFor(world, 'companies', slug, company) : null
    if (record === null) return error(404)
    return { status: 200, headers, body: { status: 200, likelihood, ...(inCase(record, titlecase) as object) } }
  },
}
