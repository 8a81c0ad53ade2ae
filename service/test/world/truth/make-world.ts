import type { Random } from '../../simulation/world/random.ts'
import { liveThrough } from './live-through.ts'
import { companyGroups, companyNames, namePools, newCompanyNames, titles } from './name-pools.ts'
import { slugOfName, type Company, type Name, type Person, type Stint, type Truth } from './person.ts'

const peopleCount = 180

/** Generates the people and companies of a seed, with two years of events. */
export function makeWorld(random: Random): Truth {
  const companies = makeCompanies(random)
  const truth: Truth = { people: [], companies, happened: {} }
  for (let id = 0; id < peopleCount; id++) truth.people.push(makePerson(random, truth, id))
  liveThrough(random, truth)
  return truth
}

function makeCompanies(random: Random): Company[] {
  const names = [...companyGroups.flat(), ...companyNames]
  const made: Company[] = names.map((name, id) => ({
    id,
    number: 40_000 + id * 37,
    country: random.pick(namePools).country,
    names: [{ from: -9_000, value: name }],
    slugs: [{ from: -9_000, value: slugOfName(name) }],
    site: `${slugOfName(name).replaceAll('-', '')}.example`,
    merged: null,
  }))
  for (const name of newCompanyNames.slice(0, 5)) {
    const renamed = random.pick(made.filter(({ names: given }) => given.length === 1))
    const from = 60 + random.below(600)
    renamed.names.push({ from, value: `${name} ${renamed.names[0]?.value.split(' ')[1] ?? ''}` })
    renamed.slugs.push({ from, value: slugOfName(name) })
  }
  for (let count = 0; count < 2; count++) {
    const [one, other] = [random.pick(made), random.pick(made)]
    if (one !== other && one.merged === null && other.merged === null && one.names.length === 1)
      one.merged = { from: 90 + random.below(500), into: other.id }
  }
  return made
}

function makePerson(random: Random, { people, companies }: Truth, id: number): Person {
  const pool = random.pick(namePools)
  const twin = people.length > 20 && random.chance(0.06) ? random.pick(people) : null
  const name: Name = twin?.names[0]?.value ?? { first: random.pick(pool.first), last: random.pick(pool.last) }
  const taken = (slug: string) => people.some(({ slugs }) => slugs[0]?.value === slug)
  const plain = slugOfName(`${name.first.latin} ${name.last.latin}`)
  const slug = taken(plain) ? `${plain}-${id}` : plain
  const employer = twin?.stints.at(-1)?.company ?? random.below(companies.length)
  return {
    id,
    member: 700_000 + id * 101,
    country: twin?.country ?? pool.country,
    email: `${plain}.${id}@mail.example`,
    names: [{ from: -9_000, value: name }],
    slugs: [{ from: -9_000, value: slug }],
    hidden: [],
    stints: career(random, companies.length, employer),
  }
}

/** One or two employments before the run. The last one is usually current. */
function career(random: Random, companies: number, employer: number): Stint[] {
  const joined = -(120 + random.below(900))
  const title = random.below(titles.length)
  const now: Stint = { company: employer, from: joined, to: null, roles: [{ title, from: joined }] }
  if (random.chance(0.06)) return [{ ...now, to: -60 }]
  if (random.chance(0.4)) return [now]
  const company = (employer + 1 + random.below(companies - 1)) % companies
  const from = joined - 400 - random.below(900)
  return [{ company, from, to: joined, roles: [{ title: (title + 1) % titles.length, from }] }, now]
}
