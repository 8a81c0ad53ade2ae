import type { Person, SectionItem } from '@vitae/contract'
import { mediaUrl, slugOf } from './vocabulary/addresses.ts'
import { type Career, present } from './career.ts'
import type { Chance } from './vocabulary/chance.ts'
import { companyCore, companyNumber, schoolNumber } from './company-core.ts'
import { monthDate } from './vocabulary/months.ts'
import type { PersonCore } from './person-core.ts'

/** The names of the ten sections. */
export const sectionNames = [
  'certifications',
  'courses',
  'honors',
  'languages',
  'organizations',
  'patents',
  'projects',
  'publications',
  'test_scores',
  'volunteer_experiences',
] as const satisfies (keyof Person)[]
export type Sections = Pick<Person, (typeof sectionNames)[number]>

const proficiencies = ['Elementary proficiency', 'Professional working proficiency', 'Full professional proficiency']

/** The ten sections, each with at least one item and every key of the items filled. */
export function sections(chance: Chance, person: PersonCore, career: Career): Sections {
  const { trade } = person
  const school = companyCore(schoolNumber(person.place, chance.whole(0, 1)))
  const taught = itemMaker(chance, career, school)
  const worked = itemMaker(chance, career, career.employer)
  const helped = itemMaker(chance, career, someCompany(chance, person))
  const language = (name: string, proficiency: string) => ({ ...taught(name, 'Spoken and written'), proficiency })
  const second = person.place.language === 'English' ? 'French' : 'English'
  return {
    certifications: [goingOn(taught(trade.certificate, 'Valid without limit', 'Certificate holder'))],
    courses: [taught(trade.course, 'One term, with a written examination', 'Student')],
    honors: [worked('Colleague of the Year', 'Chosen by the whole company in a secret vote', 'Recipient')],
    languages: [
      language(person.place.language, 'Native or bilingual proficiency'),
      language(second, chance.pick(proficiencies)),
    ],
    organizations: [
      maybeGoingOn(
        chance,
        taught(`Society for ${trade.industry.name}`, 'Monthly meetings and a summer school', 'Treasurer'),
      ),
    ],
    patents: [worked(`${trade.specialities[0]}: an improved method`, 'Filed with two colleagues', 'Inventor')],
    projects: [maybeGoingOn(chance, worked(trade.project, 'A weekend project that found its users', 'Maintainer'))],
    publications: [taught(trade.publication, 'Short paper with open data', 'First author')],
    test_scores: [taught(`${second} language test`, `Score: ${chance.whole(88, 99)} of 100`, 'Candidate')],
    volunteer_experiences: [
      maybeGoingOn(chance, helped('Volunteer repairer', 'Repairing radios, lamps and bicycles', 'Volunteer repairer')),
    ],
  }
}

/** The organization where someone volunteers: another company of the place. */
function someCompany(chance: Chance, { trade, place }: PersonCore) {
  return companyCore(companyNumber(trade, place, chance.whole(0, 999) * 10 + 9))
}

function maybeGoingOn(chance: Chance, item: SectionItem): SectionItem {
  return chance.odds(40) ? goingOn(item) : item
}

function goingOn(item: SectionItem): SectionItem {
  return { ...item, date_range: item.date_range && { ...item.date_range, end: null } }
}

function itemMaker(chance: Chance, career: Career, issuer: { id: string; name: string }) {
  return (name: string, description: string, positionHeld = 'Member'): SectionItem => {
    const start = chance.whole(career.began, present - 6)
    const path = slugOf(name)
    return {
      name,
      title: name,
      description,
      url: `https://works.example.com/${path}`,
      image_url: mediaUrl('works', `${path}.png`),
      company: issuer.name,
      company_id: issuer.id,
      position_held: positionHeld,
      date_range: { start: monthDate(start), end: monthDate(start + chance.whole(1, 6)) },
    }
  }
}
