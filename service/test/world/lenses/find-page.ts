import { at, isHidden, memberIn, type Company, type Day, type Person, type Since, type Truth } from '../truth/person.ts'
import { lenses, shareOf, visitDay, type LensName } from './lens.ts'
import { livingCompany, type Seeing } from './view.ts'

/** A subject, and the day on which a lens saw it. */
export interface Seen<T> {
  who: T
  day: Day
}

/** Resolves names to pages, as a lens sees them on a day. */
export class Pages {
  readonly #seeing: Seeing
  readonly #people = new Map<string, Person[]>()
  readonly #companies = new Map<string, Company[]>()
  /** Days of visits that callers requested. */
  readonly #visits = new Map<string, Day>()

  constructor(seeing: Seeing) {
    this.#seeing = seeing
    for (const person of seeing.truth.people) addAll(this.#people, person)
    for (const company of seeing.truth.companies) addAll(this.#companies, company)
  }

  get truth(): Truth {
    return this.#seeing.truth
  }

  /** The person whom a lens knows by a slug, an opaque id or a member number, or null. */
  person(lens: LensName, name: string, day: Day): Seen<Person> | null {
    if (name.startsWith('ACo') || /^\d+$/.test(name)) {
      const member = /^\d+$/.test(name) ? Number(name) : memberIn(name)
      const who = this.truth.people.find((one) => one.member === member)
      return who ? this.#visible(lens, who, day) : null
    }
    return this.#byName(lens, this.#people.get(name) ?? [], name, day, (who) => this.#visible(lens, who, day))
  }

  company(lens: LensName, name: string, day: Day): Seen<Company> | null {
    const { companies } = this.truth
    const shown = (who: Company): Seen<Company> | null => {
      const seen = visitDay(lens, `company ${who.id}`, day)
      return this.#knows(lens, `company ${who.id}`) ? { who: livingCompany(companies, who.id, seen), day: seen } : null
    }
    const numbered = /^\d+$/.test(name) ? companies.find(({ number }) => String(number) === name) : undefined
    if (numbered) return shown(numbered)
    return this.#byName(lens, this.#companies.get(name) ?? [], name, day, shown)
  }

  /** Notes that a lens (a simulated provider) reads this page today, so that its later answers are at least this new. */
  visitNow(lens: LensName, { id }: Person | Company, day: Day): void {
    this.#visits.set(`${lens} ${id}`, day)
  }

  /** Everybody whom a lens knows, as seen on a day. */
  everybody(lens: LensName, day: Day): Seen<Person>[] {
    return this.truth.people.flatMap((who) => this.#visible(lens, who, day) ?? [])
  }

  /** The holder of the name at the visit, newest first; else its last holder, if the lens follows redirects. */
  #byName<T extends { slugs: Since<string>[] }>(
    lens: LensName,
    list: readonly T[],
    name: string,
    day: Day,
    see: (who: T) => Seen<T> | null,
  ): Seen<T> | null {
    const seen = list.flatMap((who) => see(who) ?? [])
    const begun = ({ who, day: on }: Seen<T>) => who.slugs.findLast(({ value, from }) => value === name && from <= on)
    const holders = seen.filter(({ who, day: on }) => at(who.slugs, on) === name)
    const newest = holders.toSorted((a, b) => (begun(b)?.from ?? 0) - (begun(a)?.from ?? 0))[0]
    if (newest) return newest
    // The name now belongs to somebody whom this lens cannot show, so it no longer returns the previous holder.
    if (list.some((who) => at(who.slugs, day) === name)) return null
    if (shareOf('redirects', this.#seeing.seed, lens, name) < 0.4) return null
    return seen.filter((one) => begun(one)).toSorted((a, b) => (begun(b)?.from ?? 0) - (begun(a)?.from ?? 0))[0] ?? null
  }

  /** A hidden page cannot be read now, but a data set keeps what it saw before. */
  #visible(lens: LensName, who: Person, day: Day): Seen<Person> | null {
    if (!this.#knows(lens, `person ${who.id}`)) return null
    let seen = Math.max(visitDay(lens, `person ${who.id}`, day), this.#visits.get(`${lens} ${who.id}`) ?? -Infinity)
    if (lenses[lens].everyDays === 0) return isHidden(who, seen) ? null : { who, day: seen }
    while (isHidden(who, seen)) seen -= lenses[lens].everyDays
    return { who, day: seen }
  }

  #knows(lens: LensName, page: string): boolean {
    return shareOf('known', this.#seeing.seed, lens, page) >= lenses[lens].unknown
  }
}

function addAll<T extends { slugs: Since<string>[] }>(index: Map<string, T[]>, who: T): void {
  for (const { value } of who.slugs) {
    const known = index.get(value) ?? []
    if (!known.includes(who)) index.set(value, [...known, who])
  }
}
