import type { ExperienceGroup, CompanyLocation } from '@vitae/contract'
import type { CompanyPage } from '../foundation/identifier.ts'
import { slugOf } from './vocabulary/addresses.ts'
import { type Chance, chanceOf, numberOf } from './vocabulary/chance.ts'
import { type Name, type Place, places } from './vocabulary/places.ts'
import { stems, type Trade, trades } from './vocabulary/trades.ts'

/** A company, derived from its id, so that a work history and the company's own record agree. */
export interface CompanyCore {
  id: string
  slug: string
  /** The name in Latin letters, for addresses. */
  label: string
  name: string
  place: Place
  trade: Trade
  page: CompanyPage
  /** Null if the page does not state it. */
  staffRange: ExperienceGroup['company_employee_count_range'] | null
}

/**
 * Our own numbers, nine digits each, by kind of page. They are multiples of the combinations, so that trade and place
 * can be derived from a number.
 */
const first: Record<CompanyPage, number> = { company: 980_000_040, school: 970_000_000, showcase: 960_000_000 }
const numbersOfSlugs = 9_000_000
const combinations = trades.length * places.length
const longestSlug = 300

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

/** The number of a company of that trade in that place. */
export function companyNumber(trade: Trade, place: Place, which: number): string {
  const number = which * combinations + places.indexOf(place) * trades.length + trades.indexOf(trade)
  return String(first.company + number)
}

/** The number of the place's first or second school. */
export function schoolNumber(place: Place, which: number): string {
  return String(first.school + places.indexOf(place) * 2 + which)
}

/** The id that a slug stands for: the one at its end if the slug is ours, otherwise a number of that kind of page. */
export function companyNumberOfSlug(slug: string, page: CompanyPage): string {
  const own = /-(vitae-[\da-f]{16}|[1-9]\d*)$/.exec(slug)?.[1]
  if (own !== undefined && companyCore(own).slug === slug) return own
  return String(first[page] + numberOf(`company slug ${slug}`, numbersOfSlugs))
}

/** The company of an id; every text has one. */
export function companyCore(id: string): CompanyCore {
  const page = pageOf(id)
  if (page === 'school') return schoolCore(id)
  if (page === 'showcase') return showcaseCore(id)
  const number = /^\d+$/.test(id) ? Number(id.slice(-9)) : numberOf(`company id ${id}`, first.company)
  const chance = chanceOf(`company ${id}`)
  const trade = trades[number % trades.length] as Trade
  const place = places[Math.floor(number / trades.length) % places.length] as Place
  const name = companyName(Math.floor(number / combinations), trade, place, chance)
  return { ...named(id, name), place, trade, page, staffRange: chance.pick(staffRanges) }
}

/** The showcase page of a company; only companies with one of our own numbers have one. */
export function showcaseOf({ id, page }: CompanyCore): CompanyCore | null {
  const isOwn = page === 'company' && /^98\d{7}$/.test(id) && Number(id) >= first.company
  return isOwn ? companyCore(String(Number(id) - first.company + first.showcase)) : null
}

/** The company that a showcase page belongs to. */
export function parentOf({ id }: CompanyCore): CompanyCore {
  return companyCore(String(Number(id) - first.showcase + first.company))
}

function pageOf(id: string): CompanyPage {
  if (/^97\d{7}$/.test(id)) return 'school'
  return /^96\d{7}$/.test(id) ? 'showcase' : 'company'
}

/** A slug ends with the id, which identifies the company; if it would be too long, the id is the slug. */
function named(id: string, name: Name): Pick<CompanyCore, 'id' | 'slug' | 'label' | 'name'> {
  const label = slugOf(name.latin)
  const slug = `${label}-${id}`
  return { id, slug: slug.length > longestSlug ? id : slug, label, name: name.text }
}

/** Companies whose numbers differ in the last digit never share a name, so the employers of one person differ. */
function companyName(which: number, trade: Trade, place: Place, chance: Chance): Name {
  const group = place.groups[which % 10]
  if (group) return group
  const text = `${stems[which % stems.length]} ${chance.pick(trade.words)}`
  return { text, latin: text }
}

function schoolCore(id: string): CompanyCore {
  const { place, school } = schools[(Number(id) - first.school) % schools.length] as (typeof schools)[number]
  const staffRange = { start: 501, end: 1000 }
  return { ...named(id, school), place, trade: education, page: 'school', staffRange }
}

/** A showcase page has the name of its company and of what it shows. */
function showcaseCore(id: string): CompanyCore {
  const parent = companyCore(String(Number(id) - first.showcase + first.company))
  const shown = chanceOf(`showcase ${id}`).pick(parent.trade.specialities)
  return {
    ...parent,
    ...named(id, { text: `${parent.name} ${shown}`, latin: `${parent.label} ${shown}` }),
    page: 'showcase',
  }
}

/** One to three offices in the company's country, the headquarters first. */
export function companyLocations(chance: Chance, { place }: CompanyCore) {
  const offices = chance
    .several(place.cities, chance.whole(1, 3))
    .map(([city, area, postalCode], index): CompanyLocation => ({
      country: place.code.toLowerCase(),
      geographic_area: area,
      city,
      postal_code: postalCode,
      address_line1: chance.pick(place.streets),
      is_headquarter: index === 0,
    }))
  return { headquarter: offices[0] ?? null, all_locations: offices }
}

/** A number from the ranges that regulators reserve for fiction. */
export function fictionalPhone(chance: Chance, countryCode: string): string {
  const line = String(chance.whole(0, 99)).padStart(2, '0')
  if (countryCode === 'GB') return `+44 1632 9600${line}`
  if (countryCode === 'DE') return `+49 30 231250${line}`
  return `+1 202-555-01${line}`
}
