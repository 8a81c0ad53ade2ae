import { at, type Company, type Person } from '../truth/person.ts'
import { fold, showPerson, type Question } from './answering.ts'
import type { Seen } from './find-page.ts'
import { shareOf } from './lens.ts'

/** The known facts in a match request. */
export interface Held {
  email?: string | null
  name?: string | null
  company?: string | null
}

/** The share of addresses that are mistaken for somebody else's. */
const mistaken = 0.08

/** The people whom a lens considers matches: by the address alone, else by name and employer. */
export function findPeople(question: Question, { email, name, company }: Held): Seen<Person>[] {
  const { pages, lens, day, seeing } = question
  const everybody = pages.everybody(lens, day)
  if (email) {
    const right = everybody.filter(({ who }) => who.email === email)
    const isMistaken = shareOf('mistaken', seeing.seed, lens, email) < mistaken
    const other = everybody[Math.floor(shareOf('other', seeing.seed, lens, email) * everybody.length)]
    return isMistaken && other ? [other] : right
  }
  const wanted = fold(name ?? '')
  const employer = fold(company ?? '')
  return everybody.filter((seen) => {
    const { latin } = at(seen.who.names, seen.day).last
    if (!wanted.includes(fold(latin))) return false
    const view = showPerson(question, seen)
    const isNamed = [`${view.first} ${view.last}`, latinName(seen)].some((one) => fold(one) === wanted)
    return (
      isNamed && (view.jobs ?? []).some((job) => fold(job.company.name) === employer || job.company.site === employer)
    )
  })
}

function latinName({ who, day }: Seen<Person>): string {
  const { first, last } = at(who.names, day)
  return `${first.latin} ${last.latin}`
}

/** The company with a name. If the lens does not know it, it may return another one with the same first word. */
export function findCompany(
  { pages, lens, day, seeing }: Question,
  name: string,
  domain: string | null,
): Seen<Company> | null {
  const known = pages.truth.companies.flatMap((company) => pages.company(lens, at(company.slugs, day), day) ?? [])
  if (domain) return known.find(({ who }) => who.site === domain) ?? null
  const exact = known.find(({ who, day: on }) => fold(at(who.names, on)) === fold(name))
  if (exact || shareOf('guesses', seeing.seed, lens, name) < 0.5) return exact ?? null
  const [word = ''] = fold(name).split(' ')
  return known.find(({ who, day: on }) => fold(at(who.names, on)).startsWith(`${word} `)) ?? null
}
