import { fictionalCompany, fictionalPerson, type FictionalMonth, type FictionalPerson } from '../fiction.ts'
import {
  hasHeader,
  recordFor,
  slugIn,
  slugOfDomain,
  slugOf,
  slugOfMatch,
  type FakeReply,
  type FakeRequest,
  type Wire,
  type World,
} from './wire.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** The vendor's own id of a company is not the platform's number. */
const vendorOffset = 700_000_000

function dated(key: string, at: FictionalMonth | null) {
  return {
    [key]: at && `${months[at.month - 1]} ${at.year}`,
    [`${key}_year`]: at && at.year,
    [`${key}_month`]: at && at.month,
  }
}

function size([low, high]: [number, number | null]): string {
  return high === null ? `${low.toLocaleString('en')}+ employees` : `${low}-${high} employees`
}

function person(slug: string, told?: Partial<FictionalPerson>) {
  const who = fictionalPerson(slug, told)
  return {
    id: who.memberNumber + vendorOffset,
    updated_at: '2026-10-01T00:00:00.000Z',
    checked_at: '2026-10-05T00:00:00.000Z',
    is_deleted: 0,
    public_profile_id: who.memberNumber,
    linkedin_url: `https://www.linkedin.com/in/${who.slug}`,
    linkedin_shorthand_names: [who.slug],
    full_name: `${who.firstName} ${who.lastName}`,
    first_name: who.firstName,
    last_name: who.lastName,
    headline: who.headline,
    summary: who.summary,
    location_country: who.place.country,
    location_country_iso2: who.place.countryCode,
    location_full: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
    location_city: who.place.city,
    inferred_skills: who.skills.map((skill) => skill.toLowerCase()),
    connections_count: who.connections,
    followers_count: who.followers,
    primary_professional_email: who.email,
    experience: who.jobs.map(({ company, title, start, end }, index) => ({
      active_experience: end === null ? 1 : 0,
      position_title: title,
      ...dated('date_from', start),
      ...dated('date_to', end),
      company_id: company.number + vendorOffset,
      company_name: company.name,
      company_linkedin_url: `https://www.linkedin.com/company/${company.slug}`,
      company_size_range: size(company.staffRange),
      company_industry: company.industry,
      order_in_profile: index + 1,
    })),
    education: [
      {
        degree: `${who.school.degree}, ${who.school.field}`,
        institution_url: `https://www.linkedin.com/school/${who.school.slug}`,
        institution_name: who.school.name,
        date_from_year: who.school.from,
        date_to_year: who.school.to,
        order_in_profile: 1,
      },
    ],
    languages: who.languages.map(({ name, proficiency }, index) => ({
      language: name,
      proficiency,
      order_in_profile: index + 1,
    })),
  }
}

function company(slug: string) {
  const what = fictionalCompany(slug)
  const address = `${what.street}; ${what.place.city}, ${what.place.region} ${what.postalCode}, ${what.place.countryCode}`
  return {
    id: what.number + vendorOffset,
    source_id: String(what.number),
    company_name: what.name,
    last_updated_at: '2026-10-05',
    website: what.website,
    linkedin_url: `https://www.linkedin.com/company/${what.slug}`,
    description: what.description,
    industry: what.industry,
    type: what.typeName,
    founded_year: what.foundedYear,
    size_range: size(what.staffRange),
    employees_count: what.staffCount,
    followers_count_linkedin: what.followers,
    hq_country: what.place.country,
    hq_country_iso2: what.place.countryCode,
    hq_city: what.place.city,
    hq_state: what.place.region,
    hq_street: what.street,
    hq_zipcode: what.postalCode,
    hq_full_address: address,
    company_locations_full: [{ location_address: address, is_primary: 1 }],
    funding_rounds: [
      {
        name: what.funding.type,
        announced_date: what.funding.date,
        lead_investors: [what.funding.investor],
        amount_raised: what.funding.amount,
        amount_raised_currency: '$',
        num_investors: 3,
      },
    ],
  }
}

/** A number in the path is the vendor's own id, never the platform's. */
function companySlug(name: string): string | null {
  if (!/^\d+$/.test(name)) return name
  const number = Number(name) - vendorOffset
  return number > 0 ? slugOf(String(number)) : null
}

function collected(record: unknown, what: string): FakeReply {
  if (record === null) return { status: 404, body: { detail: `${what} not found` } }
  return { status: 200, headers: { 'x-credits-remaining': '1999' }, body: record }
}

function collect(request: FakeRequest, world: World): FakeReply {
  const [, dataset, rest = ''] = /^\/cdapi\/v2\/(\w+)\/collect\/(.+)$/.exec(request.path) ?? []
  const name = decodeURIComponent(rest)
  if (dataset === 'employee_multi_source') {
    const slug = searched.get(world)?.get(name) ?? slugIn(name) ?? name
    return collected(recordFor(world, 'people', slug, person), 'Member')
  }
  if (dataset === 'company_multi_source') {
    return collected(recordFor(world, 'companies', slugIn(name) ?? companySlug(name), company), 'Company')
  }
  return { status: 404, body: { detail: 'Not Found' } }
}

/** Maps the vendor's ids of people to slugs, so that search results can be collected. */
const searched = new WeakMap<World, Map<string, string>>()

/** People by address or name. A name that begins with `twin` has two results. */
function searchPeople(request: FakeRequest, world: World): FakeReply {
  const [email] = /[^"]+@[^"]+/.exec(request.body) ?? []
  const name = /"full_name":\{"query":"([^"]*)"/.exec(request.body)?.[1]
  const slug = slugOfMatch(new URLSearchParams(email ? { email } : { name: name ?? '' }))
  if (slug === null || recordFor(world, 'people', slug, person) === null) return { status: 200, body: [] }
  const id = String(fictionalPerson(slug).memberNumber + vendorOffset)
  const known = searched.get(world) ?? new Map<string, string>()
  searched.set(world, known.set(id, slug))
  return { status: 200, body: slug.startsWith('twin') ? [Number(id), Number(id) + 1] : [Number(id)] }
}

function search(request: FakeRequest): FakeReply {
  const asked = JSON.parse(request.body) as { query?: { term?: { source_id?: string } } }
  const number = Number(asked.query?.term?.source_id)
  return { status: 200, body: number > 0 ? [number + vendorOffset] : [] }
}

/** Coresignal: flat `{detail}` errors, and a search that finds companies by the platform's numbers. */
export const coresignal: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'apikey', key),
  error: (status) => ({
    status,
    headers: status === 429 ? { 'retry-after': '7' } : {},
    body: { detail: status === 402 ? 'Insufficient credits' : `fault ${status}` },
  }),
  answer(request, world) {
    const isSearch = request.path === '/cdapi/v2/company_multi_source/search/es_dsl' && request.method === 'POST'
    if (isSearch) return search(request)
    if (request.path === '/cdapi/v2/employee_multi_source/search/es_dsl') return searchPeople(request, world)
    if (request.path !== '/cdapi/v2/company_multi_source/enrich') return collect(request, world)
    const slug = slugOfDomain(request.query.get('website'))
    return collected(recordFor(world, 'companies', slug, company), 'Company')
  },
}
