import type { Random } from '../simulation/world/random.ts'
import type { GuardLaws, Meant } from './laws/guard-laws.ts'
import type { Tally } from './laws/tally.ts'
import type { Vendors } from './lenses/vendors.ts'
import type { WorldService } from './service/world-service.ts'
import { at, stintsBy, type Day, type Person, type Truth } from './truth/person.ts'

interface Deps {
  truth: Truth
  service: WorldService
  vendors: Vendors
  guard: GuardLaws
  tally: Tally
  today(): Day
}

/** The actions of callers, with their relative frequencies. */
const weights = {
  lookup: 30,
  expectLastName: 20,
  expectNames: 14,
  expectCompany: 10,
  expectDomain: 6,
  byMember: 6,
  matchAddress: 8,
  matchAddressAlone: 4,
  matchName: 8,
  company: 6,
  matchCompany: 10,
} as const
type Ask = keyof typeof weights

/** Callers with lists of pages, some of them outdated. */
export class Callers {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async ask(random: Random): Promise<void> {
    const what = random.weighted<Ask>(weights)
    this.#deps.tally.count(what)
    if (what === 'company' || what === 'matchCompany') return this.#askCompany(what, random)
    const person = this.#pick(random)
    const day = this.#deps.today()
    const name = what !== 'lookup' && what !== 'byMember' && what !== 'expectCompany' && what !== 'expectDomain'
    const isMatch = what.startsWith('match')
    const employer = this.#employer(person)?.id ?? null
    const company = what === 'expectCompany' || what === 'expectDomain' || what === 'matchName' ? employer : null
    const isByName = what === 'matchName' && employer !== null
    const by = isMatch ? (isByName ? 'name' : 'email') : what === 'byMember' ? 'member' : 'lookup'
    const first = what === 'expectNames' || isByName
    const meant: Meant = {
      person,
      day,
      by,
      name: name && what !== 'matchAddressAlone',
      first,
      company,
      byDomain: what === 'expectDomain',
    }
    this.#deps.vendors.sent = []
    const answer = isMatch ? await this.#match(what, person) : await this.#lookUp(what, person, random)
    this.#deps.guard.judge(meant, answer, this.#deps.vendors.sent)
  }

  /** Submits a list of pages as a file. */
  async submit(random: Random): Promise<void> {
    const { service, tally, today, guard } = this.#deps
    const day = today()
    const rows = Array.from({ length: 10 }, () => {
      const person = this.#pick(random)
      return { person, id: random.pick(this.#pages(person)), name: random.chance(0.5) }
    })
    const lines = rows.map(({ person, id, name }) => {
      const expect = name ? { expect: { last_name: at(person.names, day).last.latin } } : {}
      return `${JSON.stringify({ id, ...expect })}\n`
    })
    const { status, json, text } = await service.post('/v1/batches?kind=people', lines.join(''))
    tally.check('no call fails', status === 202 ? null : `batch: ${status} ${text}`)
    await service.untilBatch(String(json['id']))
    const results = await service.get(`/v1/batches/${String(json['id'])}/results?format=ndjson`)
    for (const line of results.text.split('\n').filter((one) => one !== '')) {
      const { row, record } = JSON.parse(line) as { row: number; record: Record<string, unknown> | null }
      const asked = rows[row - 1]
      const answer = { status: 200, headers: {}, text: line, json: record ?? {} }
      if (record && asked)
        guard.judge({ ...asked, day, by: 'row', first: false, company: null, byDomain: false }, answer, [])
      tally.count(record ? 'rows found' : 'rows without a record')
    }
  }

  async #lookUp(what: Ask, person: Person, random: Random) {
    const { first, last } = at(person.names, this.#deps.today())
    const script = random.chance(0.3) ? 'local' : 'latin'
    const employer = this.#employer(person)
    const expected = {
      ...(what === 'expectLastName' || what === 'expectNames' ? { 'expect.last_name': last[script] } : {}),
      ...(what === 'expectNames' ? { 'expect.first_name': first[script] } : {}),
      ...(what === 'expectCompany' && employer ? { 'expect.company_name': employer.name } : {}),
      ...(what === 'expectDomain' && employer ? { 'expect.company_domain': employer.site } : {}),
    }
    const id = what === 'byMember' ? `urn:li:member:${person.member}` : random.pick(this.#pages(person))
    const bypass: Record<string, string> = random.chance(0.6) ? { bypass_cache: 'true' } : {}
    const query = new URLSearchParams({ profile_id: id, ...expected, ...bypass })
    return this.#deps.service.get(`/v1/people/profile?${query.toString()}`)
  }

  async #match(what: Ask, person: Person) {
    const { first, last } = at(person.names, this.#deps.today())
    const employer = this.#employer(person)
    if (what === 'matchName' && employer)
      return this.#deps.service.post('/v1/people/match', {
        first_name: first.latin,
        last_name: last.latin,
        company: employer.name,
      })
    const named = what === 'matchAddressAlone' ? {} : { last_name: last.latin }
    return this.#deps.service.post('/v1/people/match', { email: person.email, ...named })
  }

  async #askCompany(what: 'company' | 'matchCompany', random: Random): Promise<void> {
    const { truth, service, vendors, guard, today } = this.#deps
    const company = random.pick(truth.companies)
    const day = today()
    vendors.sent = []
    if (what === 'matchCompany') {
      const answer = await service.post('/v1/companies/match', { name: at(company.names, day) })
      return guard.judgeCompany(company, day, answer, vendors.sent)
    }
    const id = random.chance(0.5) ? String(company.number) : at(company.slugs, day)
    await service.get(`/v1/companies/details?company_id=${id}&bypass_cache=true`)
  }

  /** Picks a person, mostly one whose page has had several names or shares one. */
  #pick(random: Random): Person {
    const { people } = this.#deps.truth
    const moved = people.filter(({ slugs, names }) => slugs.length + names.length > 2)
    return random.pick(random.chance(0.6) ? moved : people)
  }

  /** The pages that a person has had so far. */
  #pages({ slugs }: Person): string[] {
    return slugs.filter(({ from }) => from <= this.#deps.today()).map(({ value }) => value)
  }

  #employer(person: Person): { id: number; name: string; site: string } | null {
    const day = this.#deps.today()
    const job = stintsBy(person, day).findLast(({ to }) => to === null)
    const company = job && this.#deps.truth.companies[job.company]
    return company && !company.merged ? { id: company.id, name: at(company.names, day), site: company.site } : null
  }
}
