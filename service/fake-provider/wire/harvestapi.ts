import { fictionalCompany, fictionalPerson, type FictionalJob } from '../fiction.ts'
import { hasHeader, recordFor, slugIn, slugOf, type FakeRequest, type Wire } from './wire.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function date(at: { year: number; month: number } | null) {
  if (at === null) return { text: 'Present' }
  const month = months[at.month - 1]
  return { month, year: at.year, text: `${month} ${at.year}` }
}

function job({ company, title, start, end }: FictionalJob) {
  return {
    position: title,
    location: `${company.place.city}, ${company.place.country}`,
    employmentType: 'Full-time',
    workplaceType: 'On-site',
    companyName: company.name,
    companyLinkedinUrl: `https://www.linkedin.com/company/${company.slug}/`,
    companyId: String(company.number),
    companyUniversalName: company.slug,
    startDate: date(start),
    endDate: date(end),
  }
}

function person(slug: string) {
  const who = fictionalPerson(slug)
  return {
    id: who.opaqueId,
    publicIdentifier: who.slug,
    linkedinUrl: `https://www.linkedin.com/in/${who.slug}`,
    firstName: who.firstName,
    lastName: who.lastName,
    headline: who.headline,
    about: who.summary,
    openToWork: false,
    hiring: false,
    premium: true,
    influencer: false,
    verified: true,
    registeredAt: '2014-05-06T07:08:09.000Z',
    location: {
      linkedinText: `${who.place.city}, ${who.place.region}, ${who.place.country}`,
      countryCode: who.place.countryCode,
      parsed: { city: who.place.city, country: who.place.country, countryCode: who.place.countryCode },
    },
    connectionsCount: who.connections,
    followerCount: who.followers,
    experience: who.jobs.map(job),
    education: [
      {
        schoolName: who.school.name,
        schoolLinkedinUrl: `https://www.linkedin.com/company/${who.school.number}/`,
        degree: who.school.degree,
        fieldOfStudy: who.school.field,
        startDate: { year: who.school.from, text: String(who.school.from) },
        endDate: { year: who.school.to, text: String(who.school.to) },
      },
    ],
    certifications: [{ title: who.certificate.name, issuedAt: 'Issued Sep 2019', issuedBy: who.certificate.issuer }],
    skills: who.skills.map((name) => ({ name, positions: [] })),
    languages: who.languages.map(({ name, proficiency }) => ({ name, proficiency })),
  }
}

function company(slug: string) {
  const what = fictionalCompany(slug)
  return {
    id: String(what.number),
    universalName: what.slug,
    linkedinUrl: `https://www.linkedin.com/company/${what.slug}`,
    name: what.name,
    tagline: what.tagline,
    website: what.website,
    description: what.description,
    companyType: what.typeName,
    foundedOn: { year: what.foundedYear },
    employeeCount: what.staffCount,
    employeeCountRange:
      what.staffRange[1] === null
        ? { start: what.staffRange[0] }
        : { start: what.staffRange[0], end: what.staffRange[1] },
    followerCount: what.followers,
    industries: [{ id: '7', name: what.industry }],
    specialities: what.specialities,
    locations: [
      {
        country: what.place.countryCode,
        geographicArea: what.place.region,
        city: what.place.city,
        line1: what.street,
        postalCode: what.postalCode,
        headquarter: true,
      },
    ],
    fundingData: {
      numFundingRounds: what.funding.rounds,
      lastFundingRound: {
        fundingType: what.funding.type,
        moneyRaised: { currencyCode: 'USD', amount: String(what.funding.amount) },
        announcedOn: { year: Number(what.funding.date.slice(0, 4)) },
        leadInvestors: [],
        numOtherInvestors: 0,
      },
    },
  }
}

function envelope(request: FakeRequest, status: number, element: unknown, error: string | null) {
  return {
    element,
    status,
    error,
    entityId: null,
    requestId: 'fake',
    query: Object.fromEntries(request.query),
    cost: element ? 1 : 0,
  }
}

function asked(query: URLSearchParams): string | null {
  const name = ['publicIdentifier', 'profileId', 'universalName', 'companyId']
    .map((key) => query.get(key))
    .find((value) => value)
  return name ? slugOf(name) : slugIn(query.get('url'))
}

/** HarvestAPI: the envelope has the real status, so "not found" is a 200. */
export const harvestapi: Wire = {
  isAuthorized: (request, key) => hasHeader(request, 'x-api-key', key),
  error: (status) => ({ status, body: { error: { error: `fault ${status}` }, status } }),
  answer(request, world) {
    const slug = asked(request.query)
    const isPerson = request.path === '/linkedin/profile'
    if (!isPerson && request.path !== '/linkedin/company') return { status: 404, body: '<html>no such page</html>' }
    const element = isPerson ? recordFor(world, 'people', slug, person) : recordFor(world, 'companies', slug, company)
    if (element === null) return { status: 200, body: envelope(request, 404, null, 'Not found') }
    return { status: 200, body: envelope(request, 200, element, null) }
  },
}
