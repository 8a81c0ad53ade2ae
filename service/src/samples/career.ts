import type { ExperienceGroup, Position } from '@vitae/contract'
import { mediaUrl, pageUrl } from './vocabulary/addresses.ts'
import type { Chance } from './vocabulary/chance.ts'
import { companyCore, type CompanyCore, companyNumber } from './company-core.ts'
import { type Months, monthRange, monthsOf } from './vocabulary/months.ts'
import type { PersonCore } from './person-core.ts'
import { places } from './vocabulary/places.ts'

/** The month in which all samples were "seen", because records must not change with the calendar. */
export const present: Months = monthsOf(2026, 3)

export interface CareerShape {
  employers: number
  /** The maximum number of positions with one employer. */
  positions: number
  /** Whether the last job is current. */
  ongoing: boolean
}

export interface Career {
  experience: ExperienceGroup[]
  title: string
  employer: { id: string; name: string }
  /** When the first job began. */
  began: Months
  bornIn: number
}

const employments = [...Array<string>(6).fill('Full-time'), 'Permanent Full-time', 'Permanent Full-time', 'Contract']

interface Stay {
  title: string
  employment: string
  start: Months
  end: Months | null
}

interface Stint {
  company: CompanyCore
  stays: Stay[]
}

/** A work history, laid out backwards from the present; each earlier position is one step down the ladder. */
export function career(chance: Chance, person: PersonCore, shape: CareerShape): Career {
  const stints = mainStints(chance, person, shape)
  const achievements = rotation(person.trade.work, chance)
  const main = stints[0] as Stint
  const began = startOf(stints.at(-1) as Stint)
  if (shape.ongoing && shape.employers > 1 && chance.odds(25)) stints.push(sideJob(chance, person, began))
  return {
    experience: stints.toSorted(currentFirst).map((stint) => group(chance, stint, achievements)),
    title: main.stays[0]?.title ?? '',
    employer: main.company,
    began,
    bornIn: Math.floor(began / 12) - 25,
  }
}

function mainStints(chance: Chance, person: PersonCore, shape: CareerShape): Stint[] {
  const ladder = chance.pick(person.trade.ladders)
  const stints: Stint[] = []
  const slot = chance.whole(0, 8)
  let rung = shape.employers === 1 ? ladder.length - 1 : chance.whole(1, ladder.length - 1)
  let end = shape.ongoing ? present : present - chance.whole(2, 40)
  while (stints.length < shape.employers && rung >= 0) {
    const stays: Stay[] = []
    const most = shape.employers === 1 ? shape.positions : chance.whole(1, shape.positions)
    for (; stays.length < most && rung >= 0; rung--) {
      const job = jobOn(chance, ladder, rung)
      const start = end - (job.employment === 'Internship' ? chance.whole(2, 6) : chance.whole(10, 38))
      const goesOn = shape.ongoing && stints.length === 0 && stays.length === 0
      stays.push({ ...job, start, end: goesOn ? null : end })
      end = start
    }
    const atHome = stints.length === 0 ? 95 : 80
    stints.push({ company: someCompany(chance, person, (slot + stints.length) % 9, atHome), stays })
    end -= chance.whole(0, 5)
  }
  return stints
}

/** The title and employment type of a job on a step of the ladder; some careers began with an internship. */
function jobOn(chance: Chance, ladder: readonly string[], rung: number): Pick<Stay, 'title' | 'employment'> {
  if (rung === 0 && chance.odds(25)) return { title: 'Intern', employment: 'Internship' }
  const employment = chance.pick(employments)
  return { title: ladder[rung] as string, employment }
}

function sideJob(chance: Chance, person: PersonCore, began: Months): Stint {
  const start = chance.whole(began + 1, present - 1)
  const employment = chance.pick(['Part-time', 'Freelance', 'Self-employed', 'Contract'])
  return { company: someCompany(chance, person, 9, 95), stays: [{ title: 'Advisor', employment, start, end: null }] }
}

/** Repeats the list endlessly, starting anywhere. */
function rotation(list: readonly string[], chance: Chance): () => string {
  let at = chance.whole(0, list.length - 1)
  return () => list[at++ % list.length] as string
}

/** `slot` keeps the employers of one person distinct; `atHome` percent of them are in the person's country. */
function someCompany(chance: Chance, person: PersonCore, slot: number, atHome: number): CompanyCore {
  const place = chance.odds(atHome) ? person.place : chance.pick(places)
  return companyCore(companyNumber(person.trade, place, chance.whole(0, 999) * 10 + slot))
}

function startOf(stint: Stint): Months {
  return Math.min(...stint.stays.map((stay) => stay.start))
}

function endOf(stint: Stint): Months {
  return Math.max(...stint.stays.map((stay) => stay.end ?? Number.POSITIVE_INFINITY))
}

/** Current jobs first, the main one before the side job; then past ones by later end. */
function currentFirst(a: Stint, b: Stint): number {
  return endOf(a) === endOf(b) ? 0 : endOf(b) - endOf(a)
}

function group(chance: Chance, stint: Stint, achievement: () => string): ExperienceGroup {
  const { company, stays } = stint
  const end = endOf(stint)
  const [city] = chance.pick(company.place.cities)
  const position = (stay: Stay): Position => ({
    title: stay.title,
    description: achievement(),
    location_name: `${city}, ${company.place.country}`,
    employment_type: stay.employment,
    date_range: monthRange(stay.start, stay.end),
  })
  return {
    company_name: company.name,
    company_id: company.id,
    company_url: pageUrl('company', company.slug),
    company_logo_url: mediaUrl('companies', company.id, 'logo.png'),
    company_industry: company.trade.industry.name,
    company_employee_count_range: company.staffRange ?? { start: null, end: null },
    workplace_type: chance.pick(['remote', 'hybrid', 'onsite']),
    date_range: monthRange(startOf(stint), end === Number.POSITIVE_INFINITY ? null : end),
    positions: stays.map(position),
  }
}
