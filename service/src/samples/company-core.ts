import type { ExperienceGroup } from '@vitae/contract'
import { slugOf } from './vocabulary/addresses.ts'
import { type Chance, chanceOf, numberOf } from './vocabulary/chance.ts'
import { type Name, type MoveEndpoint, places } from './vocabulary/places.ts'
import { stems, type Trade, trades } from './vocabulary/trades.ts'

/** A company, derived from its number, so that a work history and the company's own record agree. */
export interface CompanyCore {
  id: string
  slug: string
  name: string
  place: MoveEndpoint
  trade: Trade
  isSchool: boolean
  /** Null where the page does not say. */
  staffRange: ExperienceGroup['company_employee_count_range'] | null
}

// A multiple of the combinations, so that trade and place can be read from a number.
const firstCompany = 980_000_040
const firstSchool = 970_000_000
const combinations = trades.length * places.length

const staffRanges = [
  { start: 2, end: 10 },
  { start: 11, end: 50 },
  { start: 51, end: 200 },
  { start: 201, end: 500 },
  { start: 501, end: 1000 },
  { start: 1001, end: 5000 },
  { start: 10001, end: null },
  null,
]

const schools = places.flatMap((place) => place.schools.map((school) => ({ place, school })))
const education = trades.find((trade) => trade.industry.name === 'Education') as Trade

/** The number of some company of that trade in that place. */
export function companyNumber(trade: Trade, place: MoveEndpoint, which: number): string {
  const number = which * combinations + places.indexOf(place) * trades.length + trades.indexOf(trade)
  return String(firstCompany + number)
}

/** The number of the place's first or second school. */
export function schoolNumber(place: MoveEndpoint, which: number): string {
  return String(firstSchool + places.indexOf(place) * 2 + which)
}

/** The number that a slug stands for: the one at its end when it is a slug of ours, otherwise one of its own. */
export function companyNumberOfSlug(slug: string): string {
  const own = /-(9[78]\d{7})$/.exec(slug)?.[1]
  if (own !== undefined && companyCore(own).slug === slug) return own
  return String(firstCompany + numberOf(`company slug ${slug}`, 9_000_000))
}

/** The company behind a number; every number has one. */
export function companyCore(id: string): CompanyCore {
  const number = Number(id.slice(-9))
  const school = schools[number - firstSchool]
  if (school) return schoolCore(id, school)

  const chance = chanceOf(`company ${id}`)
  const trade = trades[number % trades.length] as Trade
  const place = places[Math.floor(number / trades.length) % places.length] as MoveEndpoint
  const name = companyName(Math.floor(number / combinations), trade, place, chance)
  const slug = `${slugOf(name.latin)}-${id}`
  return { id, slug, name: name.text, place, trade, isSchool: false, staffRange: chance.pick(staffRanges) }
}

/** Companies whose running numbers differ in the last digit never share a name, so the employers of one person differ. */
function companyName(which: number, trade: Trade, place: MoveEndpoint, chance: Chance): Name {
  const service = place.services[which % 10]
  if (service) return service
  const text = `${stems[which % stems.length]} ${chance.pick(trade.words)}`
  return { text, latin: text }
}

function schoolCore(id: string, { place, school }: (typeof schools)[number]): CompanyCore {
  const slug = `${slugOf(school.latin)}-${id}`
  const staffRange = { start: 501, end: 1000 }
  return { id, slug, name: school.text, place, trade: education, isSchool: true, staffRange }
}
