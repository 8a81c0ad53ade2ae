import { markIn, type CompanyView, type PersonView } from '../lenses/view.ts'
import type { Shown } from '../lenses/vendors.ts'
import type { Answer } from '../service/world-service.ts'
import { at, type Company, type Day, type Name, type Person, type Truth } from '../truth/person.ts'
import { isAlike, sharesLast } from './likeness.ts'
import type { Law, Tally } from './tally.ts'

/** The person that a call means, and its expectations. */
export interface Meant {
  person: Person
  day: Day
  by: 'lookup' | 'member' | 'email' | 'row' | 'name'
  /** Whether the last name, and also the first name, is expected. */
  name: boolean
  first: boolean
  /** The expected employer, by its name or by its domain. */
  company: number | null
  byDomain: boolean
}

interface Job {
  company_name: string | null
  date_range: { end: object | null } | null
}

/** Compares served and refused answers with the person that the caller means. */
export class GuardLaws {
  readonly #truth: Truth
  readonly #tally: Tally
  readonly #isStored: (company: number) => boolean

  constructor(truth: Truth, tally: Tally, isStored: (company: number) => boolean) {
    this.#truth = truth
    this.#tally = tally
    this.#isStored = isStored
  }

  judge(meant: Meant, answer: Answer, sent: readonly Shown[]): void {
    const { person, by } = meant
    const say = `${by} of ${person.id} on day ${meant.day}${meant.byDomain ? ' with a domain' : ''}`
    if (answer.status === 200) return this.#judgeServed(meant, answer.json, say)
    if (answer.json['code'] === 'identity_mismatch') return this.#judgeRefused(meant, sent, say)
    const isPlain = [404, 502, 503, 504].includes(answer.status)
    this.#tally.check('no call fails', isPlain ? null : `${say}: ${answer.status} ${answer.text.slice(0, 200)}`)
  }

  #judgeServed(
    { person, by, name, first, company, byDomain, day }: Meant,
    record: Record<string, unknown>,
    say: string,
  ): void {
    const served = this.#truth.people[markIn(record['summary']) ?? -1]
    const law: Law =
      by === 'lookup' || by === 'row' ? 'no other person is served past expect.*' : 'a match serves no other person'
    if (!served) return this.#tally.check(law, `${say}: nobody knows who was served`)
    if (by === 'member')
      return this.#tally.check(
        'a member id serves no other person',
        served === person ? null : `${say}: served ${served.id}`,
      )
    if (served === person) return name || company !== null ? this.#tally.check(law, null) : undefined
    const had = served.names.filter(({ from }) => from <= day)
    if (name && !had.some(({ value }) => isExpected(at(person.names, day), value, first)))
      return this.#tally.check(law, `${say}: served ${served.id}, who never had that name`)
    if (company !== null && byDomain && !this.#hasKnownSites(record))
      return this.#tally.decide('the site of an employer is not known, and its domain is expected', 'served')
    if (company !== null && this.#worksElsewhere(record, company))
      return this.#tally.check(law, `${say}: served ${served.id}, who was never at company ${company}`)
    if (by === 'name') this.#tally.decide('a namesake at one employer is served to a name and a company', 'served')
    else if (name) this.#tally.decide('a namesake is served to an expected name', 'served')
    else if (by === 'email')
      this.#tally.decide('an address is taken for that of somebody else, and nothing else is expected', 'served')
  }

  #worksElsewhere({ experience }: Record<string, unknown>, company: number): boolean {
    const jobs = Array.isArray(experience) ? (experience as Job[]) : []
    const names = new Set(this.#truth.companies[company]?.names.map(({ value }) => value.toLowerCase()))
    const known = jobs.flatMap(({ company_name: name }) => name?.toLowerCase() ?? [])
    return known.length > 0 && !known.some((name) => names.has(name))
  }

  /** Whether the companies of all current jobs are stored; of all jobs if none is current. */
  #hasKnownSites({ experience }: Record<string, unknown>): boolean {
    const jobs = Array.isArray(experience) ? (experience as Job[]) : []
    const current = jobs.filter((job) => !job.date_range?.end)
    const isCalled = (company: Company, name: string | null) =>
      company.names.some(({ value }) => value.toLowerCase() === name?.toLowerCase())
    const isKnown = ({ company_name: name }: Job) =>
      this.#truth.companies.some((company) => this.#isStored(company.id) && isCalled(company, name))
    const judged = current.length > 0 ? current : jobs
    return judged.length > 0 && judged.every(isKnown)
  }

  /** A call must not be refused if the record sent in this call meets all its expectations. */
  #judgeRefused({ person, day, name, first, company }: Meant, sent: readonly Shown[], say: string): void {
    const right = sent.find(({ view }) => {
      if (!('person' in view) || view.person !== person.id) return false
      const isNamed = !name || isExpected(at(person.names, day), at(person.names, view.day), first)
      return isNamed && (company === null || this.#showsEmployer(view, company, day))
    })
    this.#tally.check(
      'no expected person is refused',
      right
        ? `${say}: ${right.lens} showed ${JSON.stringify({ ...right.view, jobs: undefined, current: undefined })}`
        : null,
    )
  }

  #showsEmployer({ jobs }: PersonView, company: number, day: Day): boolean {
    const name = nameOf(this.#truth.companies[company], day)
    return jobs === null || jobs.some((job) => job.company.name === name)
  }

  /** Judges a match of a company by its name. */
  judgeCompany(meant: Company, day: Day, answer: Answer, sent: readonly Shown[]): void {
    const say = `match of company ${meant.id} ${nameOf(meant, day)} on day ${day}`
    if (answer.status === 200) {
      const served = markIn(answer.json['description'])
      const isRight = served === meant.id || served === meant.merged?.into
      return this.#tally.check('no other company is served by a match', isRight ? null : `${say}: served ${served}`)
    }
    const right = sent.find(
      ({ view }) => isCompany(view) && view.company === meant.id && view.name === nameOf(meant, day),
    )
    const isRefused = answer.json['code'] === 'identity_mismatch' && right !== undefined
    this.#tally.check('no expected company is refused', isRefused ? `${say}, shown by ${right.lens}` : null)
  }
}

function isCompany(view: PersonView | CompanyView): view is CompanyView {
  return 'company' in view
}

function nameOf(company: Company | undefined, day: Day): string {
  return company ? at(company.names, day) : ''
}

/** Some calls expect only the last name. */
function isExpected(expected: Name, shown: Name, hasFirst: boolean): boolean {
  return hasFirst ? isAlike(expected, shown) : sharesLast(expected, shown)
}
