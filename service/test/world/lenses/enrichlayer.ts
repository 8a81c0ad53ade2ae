import { isHidden, type Company, type Person } from '../truth/person.ts'
import { nameIn, showCompany, showPerson, type Question, type Reply } from './answering.ts'
import { findCompany, findPeople } from './find-match.ts'
import type { Seen } from './find-page.ts'
import type { CompanyView, PersonView, ShownDate, ShownJob } from './view.ts'

/** It invents days, and omits unknown months. */
function date(shown: ShownDate | null) {
  return shown && { day: 1, month: shown.month, year: shown.year }
}

function rows({ company, roles }: ShownJob) {
  return roles.map(({ title, from, to }) => ({
    starts_at: date(from),
    ends_at: date(to),
    company: company.name,
    company_linkedin_profile_url: `https://pt.linkedin.com/company/${company.slug}/`,
    title,
  }))
}

function person(view: PersonView) {
  const { current, jobs } = view
  return {
    public_identifier: view.slug,
    first_name: view.first,
    last_name: view.last,
    full_name: `${view.first} ${view.last}`,
    occupation: current ? `${current.roles[0]?.title} at ${current.company.name}` : null,
    summary: view.about,
    country: view.country,
    experiences: jobs?.flatMap(rows) ?? (current ? [] : null),
    education: [],
  }
}

function company(view: CompanyView) {
  return {
    linkedin_internal_id: view.number === null ? null : String(view.number),
    universal_name_id: view.slug,
    name: view.name,
    description: view.about,
    website: `https://${view.site}`,
  }
}

const unknown: Reply = { status: 404, body: { code: 404, description: 'not there', name: 'Not Found' }, shown: null }

function found({ seeing, day: today }: Question, shown: PersonView | CompanyView, day: number): Reply {
  const seenAt = Math.min(seeing.startMs + day * 86_400_000, seeing.startMs + today * 86_400_000)
  const meta = { last_updated: new Date(seenAt).toISOString(), thin_profile: false }
  return { status: 200, body: { ...('person' in shown ? person(shown) : company(shown)), meta }, shown }
}

function urlOf(slug: string | undefined, kind: 'in' | 'company'): Reply {
  return { status: 200, body: { url: slug ? `https://www.linkedin.com/${kind}/${slug}` : null }, shown: null }
}

function resolve(question: Question): Reply {
  const { searchParams: query, pathname } = question.request.url
  if (pathname.endsWith('/company/resolve-id')) {
    const seen = question.pages.company('enrichlayer', query.get('id') ?? '', question.day)
    return urlOf(seen ? showCompany(question, seen).slug : undefined, 'company')
  }
  if (pathname.endsWith('/company/resolve')) {
    const seen = findCompany(question, query.get('company_name') ?? '', query.get('company_domain'))
    return urlOf(seen ? showCompany(question, seen).slug : undefined, 'company')
  }
  const name = `${query.get('first_name')} ${query.get('last_name')}`
  const [seen] = findPeople(question, { email: query.get('email'), name, company: query.get('company_domain') })
  return urlOf(seen ? showPerson(question, seen).slug : undefined, 'in')
}

/** Enrich Layer: its stored copy, or today's page on request. It has no ids of people. */
export function enrichlayer(question: Question): Reply {
  const { request, pages, lens, day } = question
  const { searchParams: query, pathname } = request.url
  if (pathname.includes('/resolve')) return resolve(question)
  const isLive = query.get('live_fetch') === 'force'
  const today = <T>(seen: Seen<T> | null) => (seen && isLive ? { ...seen, day } : seen)
  if (pathname.endsWith('/profile')) {
    const seen: Seen<Person> | null = today(pages.person(lens, nameIn(query.get('profile_url')), day))
    if (!seen || isHidden(seen.who, seen.day)) return unknown
    if (isLive) pages.visitNow(lens, seen.who, day)
    return found(question, showPerson(question, seen), seen.day)
  }
  const seen: Seen<Company> | null = today(pages.company(lens, nameIn(query.get('url')), day))
  if (!seen || pathname.endsWith('/school')) return unknown
  return found(question, showCompany(question, seen), seen.day)
}
