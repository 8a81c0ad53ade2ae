import { inWords, nameIn, showCompany, showPerson, type Question, type Reply } from './answering.ts'
import { findCompany, findPeople } from './find-match.ts'
import type { CompanyView, PersonView, ShownDate, ShownJob } from './view.ts'

/** Its ids differ from the platform's. */
const ofPeople = 700_000_000
const ofCompanies = 800_000_000

function dated(key: string, date: ShownDate | null) {
  return { [key]: date && inWords(date), [`${key}_year`]: date?.year ?? null, [`${key}_month`]: date?.month ?? null }
}

function rows({ company, roles, stint }: ShownJob) {
  return roles.map(({ title, from, to }) => ({
    active_experience: stint.to === null && to === null ? 1 : 0,
    position_title: title,
    ...dated('date_from', from),
    ...dated('date_to', to),
    company_id: company.id + ofCompanies,
    company_name: company.name,
    company_linkedin_url: `https://www.linkedin.com/company/${company.slug}`,
    company_website: `https://${company.site}`,
  }))
}

function person(view: PersonView) {
  const { current, jobs } = view
  return {
    id: view.person + ofPeople,
    is_deleted: 0,
    public_profile_id: view.member,
    linkedin_url: `https://www.linkedin.com/in/${view.slug}`,
    linkedin_shorthand_names: [view.slug],
    full_name: `${view.first} ${view.last}`,
    first_name: view.first,
    last_name: view.last,
    summary: view.about,
    location_country_iso2: view.country,
    primary_professional_email: view.email,
    active_experience_company_id: current && current.company.id + ofCompanies,
    active_experience_company_name: current?.company.name ?? null,
    active_experience_title: current?.roles[0]?.title ?? null,
    active_experience_linkedin_url: current ? `https://www.linkedin.com/company/${current.company.slug}` : null,
    experience: jobs?.flatMap(rows).map((one, index) => ({ ...one, order_in_profile: index + 1 })) ?? null,
    education: [],
  }
}

function company(view: CompanyView) {
  return {
    id: view.company + ofCompanies,
    source_id: view.number === null ? null : String(view.number),
    company_name: view.name,
    website: `https://${view.site}`,
    linkedin_url: `https://www.linkedin.com/company/${view.slug}`,
    description: view.about,
    hq_country_iso2: view.country,
  }
}

function found(shown: Reply['shown']): Reply {
  if (!shown) return { status: 404, body: { detail: 'not found' }, shown }
  return { status: 200, body: 'person' in shown ? person(shown) : company(shown), shown }
}

/** The search criteria in its query language. */
function search(question: Question, isCompany: boolean): Reply {
  const asked = String(question.request.body)
  const [, name = ''] = /"(?:full_name":\{"query|company_name)":"([^"]*)"/.exec(asked) ?? []
  const [, number] = /"source_id":"(\d+)"/.exec(asked) ?? []
  if (isCompany) {
    const seen = number ? question.pages.company('coresignal', number, question.day) : findCompany(question, name, null)
    return { status: 200, body: seen ? [seen.who.id + ofCompanies] : [], shown: null }
  }
  const [email = null] = /[^"]+@[^"]+/.exec(asked) ?? []
  const [, employer = ''] = /"experience\.[a-z_.]+":"([^"]*)"/.exec(asked) ?? []
  const people = findPeople(question, { email, name, company: employer })
  return { status: 200, body: people.map(({ who }) => who.id + ofPeople), shown: null }
}

/** Coresignal: records by its own ids or by pages, and a search that returns ids. */
export function coresignal(question: Question): Reply {
  const { request, pages, lens, day } = question
  const { pathname, searchParams } = request.url
  const isCompany = pathname.includes('/company_multi_source/')
  if (pathname.endsWith('/search/es_dsl')) return search(question, isCompany)
  const [, asked = ''] = /\/collect\/(.+)$/.exec(pathname) ?? []
  const name = decodeURIComponent(asked)
  const own = /^\d{9}$/.test(name) ? Number(name) : null
  if (isCompany) {
    const page = own === null ? nameIn(name) || name : String(pages.truth.companies[own - ofCompanies]?.number)
    const website = searchParams.get('website')
    const seen = website ? findCompany(question, '', website) : pages.company(lens, page, day)
    return found(seen && showCompany(question, seen))
  }
  const page = own === null ? nameIn(name) || name : String(pages.truth.people[own - ofPeople]?.member)
  const seen = pages.person(lens, page, day)
  return found(seen && showPerson(question, seen))
}
