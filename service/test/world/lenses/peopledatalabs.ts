import { nameIn, showCompany, showPerson, type Question, type Reply } from './answering.ts'
import { findCompany, findPeople } from './find-match.ts'
import type { CompanyView, PersonView, ShownDate, ShownJob } from './view.ts'

function written(date: ShownDate | null): string | null {
  if (date === null) return null
  return date.month === null ? String(date.year) : `${date.year}-${String(date.month).padStart(2, '0')}`
}

function rows({ company, roles, stint }: ShownJob) {
  return roles.map(({ title, from, to }, index) => ({
    company: {
      id: `pdl-company-${company.id}`,
      name: company.name,
      linkedin_url: `linkedin.com/company/${company.slug}`,
      linkedin_id: String(company.number),
      website: company.site,
    },
    title: { name: title },
    start_date: written(from),
    end_date: written(to),
    is_primary: stint.to === null && index === 0,
  }))
}

function person(view: PersonView) {
  const { current, jobs } = view
  return {
    id: `pdl-${view.person}_0000`,
    full_name: `${view.first} ${view.last}`,
    first_name: view.first,
    last_name: view.last,
    linkedin_url: `linkedin.com/in/${view.slug}`,
    linkedin_username: view.slug,
    linkedin_id: view.member === null ? null : String(view.member),
    summary: view.about,
    location_country: view.country,
    work_email: view.email,
    job_title: current?.roles[0]?.title ?? null,
    job_company_name: current?.company.name ?? null,
    job_company_linkedin_url: current ? `linkedin.com/company/${current.company.slug}` : null,
    job_company_linkedin_id: current ? String(current.company.number) : null,
    job_start_date: written(current?.roles.at(-1)?.from ?? null),
    experience: jobs?.flatMap(rows) ?? (current ? [] : null),
    education: [],
  }
}

function company(view: CompanyView) {
  return {
    id: `pdl-company-${view.company}`,
    name: view.name.toLowerCase(),
    display_name: view.name,
    linkedin_id: view.number === null ? null : String(view.number),
    linkedin_url: `linkedin.com/company/${view.slug}`,
    linkedin_slug: view.slug,
    website: view.site,
    summary: view.about,
  }
}

const unknown: Reply = { status: 404, body: { status: 404, error: { type: 'not_found', message: '' } }, shown: null }

/** People Data Labs: it sends an empty list both for a person without jobs and for unknown jobs. */
export function peopledatalabs(question: Question): Reply {
  const { request, pages, lens, day } = question
  const { searchParams: query, pathname } = request.url
  const page = query.get('profile')
  if (pathname.endsWith('/company/enrich')) {
    const seen = page
      ? pages.company(lens, nameIn(`/${page}`), day)
      : findCompany(question, query.get('name') ?? '', query.get('website'))
    if (!seen) return unknown
    const shown = showCompany(question, seen)
    return { status: 200, body: { status: 200, likelihood: 9, ...company(shown) }, shown }
  }
  const name = query.get('lid') ?? (page && nameIn(`/${page}`))
  const names = query.get('name') ?? `${query.get('first_name')} ${query.get('last_name')}`
  const held = { email: query.get('email'), name: names, company: query.get('company') }
  const seen = name ? pages.person(lens, name, day) : findPeople(question, held)[0]
  if (!seen) return unknown
  const shown = showPerson(question, seen)
  const given = ['email', 'name', 'first_name', 'last_name', 'company'].filter((one) => query.has(one))
  const matched = held.email ? given.filter((one) => one === 'email') : given
  return { status: 200, body: { status: 200, likelihood: 9, matched, data: person(shown) }, shown }
}
