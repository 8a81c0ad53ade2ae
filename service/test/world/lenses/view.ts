import { titles } from '../truth/name-pools.ts'
import { at, stintsBy, type Company, type Day, type Person, type Stint, type Truth } from '../truth/person.ts'
import { lenses, shareOf, type LensName } from './lens.ts'

/** A month, or only a year if the lens shows no more. */
export interface ShownDate {
  year: number
  month: number | null
}

export interface ShownRole {
  title: string
  from: ShownDate
  to: ShownDate | null
}

export interface ShownCompany {
  id: number
  name: string
  slug: string
  number: number
  site: string
}

export interface ShownJob {
  /** The real employment. */
  stint: Stint
  company: ShownCompany
  /** Newest first. */
  roles: ShownRole[]
}

/** A person as one lens shows them. */
export interface PersonView {
  lens: LensName
  person: number
  /** When the lens saw the page. */
  day: Day
  slug: string
  member: number | null
  first: string
  last: string
  country: string
  email: string
  /** Newest first. Null: not stated. */
  jobs: ShownJob[] | null
  /** A current job stated outside the list. */
  current: ShownJob | null
  about: string
}

/** A company as one lens shows it. */
export interface CompanyView {
  lens: LensName
  company: number
  day: Day
  name: string
  slug: string
  number: number | null
  site: string
  country: string
  about: string
}

export interface Seeing {
  truth: Truth
  seed: number
  /** The start of the first day. */
  startMs: number
}

/** The text in a record by which the oracle identifies its subject. */
export function mark(kind: 'people' | 'companies', id: number): string {
  return `Invented ${kind === 'people' ? 'person' : 'company'} number ${id}.`
}

/** The subject of a record by its mark, or null. */
export function markIn(text: unknown): number | null {
  const found = /^Invented (?:person|company) number (\d+)\.$/i.exec(typeof text === 'string' ? text : '')
  return found ? Number(found[1]) : null
}

/** A person as a lens saw them on a day. */
export function viewPerson(seeing: Seeing, lens: LensName, person: Person, day: Day): PersonView {
  const { seed } = seeing
  const settings = lenses[lens]
  const draw = (what: string) => shareOf(what, seed, lens, person.id)
  const { first, last } = at(person.names, day)
  const cased = (text: string) => (draw('case') < settings.lowerCase ? text.toLowerCase() : text)
  const script = settings.isLocal ? 'local' : 'latin'
  const saying = shareOf('jobs', seed, lens, person.id, day)
  const says = saying >= settings.withoutJobs + settings.bare
  const jobs = stintsBy(person, day).map((stint) => showJob(seeing, lens, person, stint, day))
  return {
    lens,
    person: person.id,
    day,
    slug: at(person.slugs, day),
    member: draw('id') < settings.withoutId ? null : person.member,
    first: cased(first[script]),
    last: cased(last[script]),
    country: person.country,
    email: person.email,
    jobs: says ? jobs.toReversed() : null,
    current: saying < settings.bare ? null : (jobs.find(({ stint }) => stint.to === null) ?? null),
    about: mark('people', person.id),
  }
}

function showJob(seeing: Seeing, lens: LensName, person: Person, stint: Stint, day: Day): ShownJob {
  const { isLocal, yearsOnly } = lenses[lens]
  const coarse = shareOf('years', seeing.seed, lens, person.id) < yearsOnly
  const dated = (one: Day) => dateOf(seeing.startMs, one, coarse)
  const roles = stint.roles.map(({ title, from }, index) => {
    const known = titles[title]
    const to = stint.roles[index + 1]?.from ?? stint.to
    const shown = (isLocal ? known?.local[person.country] : undefined) ?? known?.en ?? ''
    return { title: shown, from: dated(from), to: to === null ? null : dated(to) }
  })
  return { stint, company: showCompany(seeing.truth, stint.company, day), roles: roles.toReversed() }
}

function dateOf(startMs: number, day: Day, coarse: boolean): ShownDate {
  const date = new Date(startMs + day * 86_400_000)
  return { year: date.getUTCFullYear(), month: coarse ? null : date.getUTCMonth() + 1 }
}

/** The employer that the platform shows: for a merged company, the one that absorbed it. */
function showCompany({ companies }: Truth, id: number, day: Day): ShownCompany {
  const company = livingCompany(companies, id, day)
  const { number, site } = company
  return { id: company.id, name: at(company.names, day), slug: at(company.slugs, day), number, site }
}

export function livingCompany(companies: readonly Company[], id: number, day: Day): Company {
  const company = companies[id]
  if (!company) throw new Error(`there is no company ${id}`)
  return company.merged && company.merged.from <= day ? livingCompany(companies, company.merged.into, day) : company
}

const numberless: Partial<Record<LensName, number>> = { peopledatalabs: 0.2, coresignal: 0.3 }

/** A company as a lens saw it on a day. */
export function viewCompany({ seed }: Seeing, lens: LensName, company: Company, day: Day): CompanyView {
  const hasNumber = shareOf('number', seed, lens, company.id) >= (numberless[lens] ?? 0)
  return {
    lens,
    company: company.id,
    day,
    name: at(company.names, day),
    slug: at(company.slugs, day),
    number: hasNumber ? company.number : null,
    site: company.site,
    country: company.country,
    about: mark('companies', company.id),
  }
}
