import { opaqueIdOf } from '../truth/person.ts'
import { monthNames, inWords, nameIn, showCompany, showPerson, type Question, type Reply } from './answering.ts'
import type { CompanyView, PersonView, ShownDate, ShownJob } from './view.ts'

function date(shown: ShownDate | null) {
  if (shown === null) return { text: 'Present' }
  const { year, month } = shown
  return { ...(month === null ? {} : { month: monthNames[month - 1] }), year, text: inWords(shown) }
}

function rows({ company, roles }: ShownJob) {
  return roles.map(({ title, from, to }) => ({
    position: title,
    companyName: company.name,
    companyLinkedinUrl: `https://www.linkedin.com/company/${company.slug}/`,
    companyId: String(company.number),
    companyUniversalName: company.slug,
    startDate: date(from),
    endDate: date(to),
  }))
}

function person(view: PersonView) {
  const { current, jobs } = view
  return {
    id: view.member === null ? null : opaqueIdOf(view.member),
    publicIdentifier: view.slug,
    linkedinUrl: `https://www.linkedin.com/in/${view.slug}`,
    firstName: view.first,
    lastName: view.last,
    about: view.about,
    location: { countryCode: view.country, parsed: { countryCode: view.country } },
    currentPosition: current && [
      {
        position: current.roles[0]?.title,
        companyName: current.company.name,
        companyId: String(current.company.number),
        companyLinkedinUrl: `https://www.linkedin.com/company/${current.company.slug}/`,
      },
    ],
    ...(jobs ? { experience: jobs.flatMap(rows), education: [] } : { experience: null }),
  }
}

function company(view: CompanyView) {
  return {
    id: view.number === null ? null : String(view.number),
    universalName: view.slug,
    linkedinUrl: `https://www.linkedin.com/company/${view.slug}`,
    name: view.name,
    website: `https://${view.site}`,
    description: view.about,
  }
}

/** HarvestAPI: the envelope has the real status, so "not found" is a 200. */
export function harvestapi(question: Question): Reply {
  const { request, pages, lens, day } = question
  const { searchParams: query, pathname } = request.url
  const given = ['publicIdentifier', 'profileId', 'universalName', 'companyId'].map((key) => query.get(key))
  const name = given.find((value) => value) ?? nameIn(query.get('url'))
  const who = pathname.endsWith('/profile') ? pages.person(lens, name, day) : null
  const what = pathname.endsWith('/company') ? pages.company(lens, name, day) : null
  const shown = who ? showPerson(question, who) : what && showCompany(question, what)
  if (!shown) return { status: 200, body: { element: null, status: 404, error: 'Not found', cost: 0 }, shown }
  const element = 'person' in shown ? person(shown) : company(shown)
  return { status: 200, body: { element, status: 200, error: null, cost: 1 }, shown }
}
