import { fictionalCompany, fictionalPerson, type FictionalMonth, type FictionalPerson } from '../fiction.ts'
import {
  hasHeader,
  recordFor,
  slugIn,
  slugOfDomain,
  slugOfMatch,
  type FakeReply,
  type FakeRequest,
  type Wire,
  type World,
} from './wire.ts'

/** Invents days, like the real provider. */
function first(at: FictionalMonth | null) {
  return at && { day: 1, month: at.month, year: at.year }
}

function person(slug: string, told?: Partial<FictionalPerson>) {
  const who = fictionalPerson(slug, told)
  return {
    public_identifier: who.slug,
    profile_pic_url: null,
    background_cover_image_url: null,
    first_name: who.firstName,
    last_name: who.lastName,
    full_name: `${who.firstName} ${who.lastName}`,
    follower_count: who.followers,
    headline: who.headline,
    summary: who.summary,
    country: who.place.countryCode,
    country_full_name: who.place.country,
    city: who.place.city,
    state: who.place.region,
    experiences: who.jobs.map(({ company, title, start, end }) => ({
      starts_at: first(start),
      ends_at: first(end),
      company: company.name,
      company_linkedin_profile_url: `https://pt.linkedin.com/company/${company.slug}/`,
      title,
      description: null,
      location: company.place.city,
      logo_url: null,
    })),
    education: [
      {
        starts_at: { day: 1, month: 1, year: who.school.from },
        ends_at: { day: 31, month: 12, year: who.school.to },
        field_of_study: who.school.field,
        degree_name: who.school.degree,
        school: who.school.name,
        school_linkedin_profile_url: `https://www.linkedin.com/company/${who.school.number}/`,
      },
    ],
    languages: who.languages.map(({ name }) => name),
    languages_and_proficiencies: who.languages.map(({ name, proficiency }) => ({ name, proficiency })),
    certifications: [
      {
        starts_at: first(who.certificate.issued),
        ends_at: null,
        name: who.certificate.name,
        authority: who.certificate.issuer,
        url: who.certificate.url,
      },
    ],
    connections: who.connections,
    skills: who.skills,
    industry: who.industry,
    extra: { github_profile_id: null, twitter_profile_id: null, website: null },
  }
}

function company(slug: string) {
  const what = fictionalCompany(slug)
  const hq = {
    country: what.place.countryCode,
    city: what.place.city,
    postal_code: what.postalCode,
    line_1: what.street,
    is_hq: true,
    state: what.place.region,
  }
  const [year, month, day] = what.funding.date.split('-').map(Number)
  return {
    linkedin_internal_id: String(what.number),
    universal_name_id: what.slug,
    name: what.name,
    tagline: what.tagline,
    description: what.description,
    website: what.website,
    industry: what.industry,
    company_size: what.staffRange,
    company_size_on_linkedin: what.staffCount,
    company_type: what.typeCode,
    founded_year: what.foundedYear,
    specialities: what.specialities,
    follower_count: what.followers,
    hq,
    locations: [hq],
    affiliated_companies: [],
    similar_companies: [],
    funding_data: [
      {
        funding_type: what.funding.type,
        money_raised: what.funding.amount,
        announced_date: { year, month, day },
        number_of_investor: 1,
        investor_list: [{ name: what.funding.investor, linkedin_profile_url: null, type: 'organization' }],
      },
    ],
    extra: { number_of_funding_rounds: what.funding.rounds, phone_number: null },
  }
}

const names: Record<number, string> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
}

/** A 404 is charged. */
function error(status: number, description = 'A fault on demand'): FakeReply {
  return {
    status,
    headers: {
      'x-proxycurl-credit-cost': status === 404 ? '1' : '0',
      ...(status === 429 ? { 'retry-after': '7' } : {}),
    },
    body: { code: status, description, name: names[status] ?? 'Error' },
  }
}

/** Extras are null unless requested. */
function asAsked(record: object, query: URLSearchParams): object {
  const extras = ['extra', 'funding_data'].filter((name) => name in record && query.get(name) !== 'include')
  return { ...record, ...Object.fromEntries(extras.map((name) => [name, null])) }
}

function found(record: unknown, { query }: FakeRequest, world: World): FakeReply {
  if (typeof record !== 'object' || record === null) return error(404, 'Profile does not exist')
  const isLive = query.get('live_fetch') === 'force'
  const seenAt = Date.now() - (isLive ? 0 : world.sourceAgeDays * 86_400_000)
  const meta = { last_updated: new Date(seenAt).toISOString(), thin_profile: false }
  const cost = isLive ? '10' : '1'
  return { status: 200, headers: { 'x-proxycurl-credit-cost': cost }, body: { ...asAsked(record, query), meta } }
}

/** Enrich Layer: companies whose slug begins with `university-` exist only at the school endpoint. */
export const enrichlayer: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'authorization', `Bearer ${key}`),
  error,
  answer(request, world) {
    const { query } = request
    const slug = slugIn(query.get('profile_url') ?? query.get('url'))
    const isSchool = slug?.startsWith('university-') ?? false
    switch (request.path) {
      case '/api/v2/profile':
        return found(recordFor(world, 'people', slug, person), request, world)
      case '/api/v2/company':
        return found(isSchool ? null : recordFor(world, 'companies', slug, company), request, world)
      case '/api/v2/school':
        return found(isSchool ? recordFor(world, 'companies', slug, company) : null, request, world)
      case '/api/v2/company/resolve': {
        const page = slugOfDomain(query.get('company_domain')) ?? query.get('company_name')?.toLowerCase() ?? null
        const isKnown = recordFor(world, 'companies', page, company) !== null
        return { status: 200, body: { url: isKnown ? `https://www.linkedin.com/company/${page}` : null } }
      }
      case '/api/v2/profile/resolve':
      case '/api/v2/profile/resolve/email':
      case '/api/v2/resolve/phone': {
        const page = slugOfMatch(query)
        const isKnown = recordFor(world, 'people', page, person) !== null
        return { status: 200, body: { url: isKnown ? `https://www.linkedin.com/in/${page}` : null } }
      }
      case '/api/v2/company/resolve-id':
        return { status: 200, body: { url: `https://www.linkedin.com/company/company-${query.get('id')}` } }
      default:
        return { status: 404, body: '<html>no such page</html>' }
    }
  },
}
