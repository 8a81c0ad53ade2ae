import type { Person, SectionItem } from '@vitae/contract'
import { mediaUrl, slugOf } from './vocabulary/addresses.ts'
import { type Career, present } from './career.ts'
import type { Chance } from './vocabulary/chance.ts'
import { companyCore, schoolNumber } from './company-core.ts'
import { monthDate } from './vocabulary/months.ts'
import type { PersonCore } from './person-core.ts'

/** What people usually fill in of an item, by section. */
export const usualKeys = {
  certifications: ['name', 'url', 'company', 'company_id', 'date_range'],
  courses: ['name', 'description', 'company', 'company_id'],
  honors: ['name', 'title', 'description', 'company', 'company_id', 'date_range'],
  languages: ['name', 'proficiency'],
  organizations: ['name', 'description', 'position_held', 'date_range'],
  patents: ['name', 'title', 'description', 'url', 'date_range'],
  projects: ['name', 'title', 'description', 'url', 'date_range'],
  publications: ['name', 'title', 'description', 'url', 'company', 'date_range'],
  test_scores: ['name', 'description', 'date_range'],
  volunteer_experiences: ['name', 'title', 'description', 'position_held', 'date_range'],
} as const satisfies Partial<Record<keyof Person, string[]>>
export type Sections = Pick<Person, keyof typeof usualKeys>

const proficiencies = ['Elementary proficiency', 'Professional working proficiency', 'Full professional proficiency']

/** The ten sections, each with one item or more and every key of the items filled. */
export function sections(chance: Chance, person: PersonCore, career: Career): Sections {
  const { trade } = person
  const school = companyCore(schoolNumber(person.place, chance.whole(0, 1)))
  const taught = itemMaker(chance, career, school)
  const worked = itemMaker(chance, career, career.employer)
  const language = (name: string, proficiency: string) => ({ ...taught(name, 'Spoken and written'), proficiency })
  const second = person.place.language === 'English' ? 'French' : 'English'
  return {
    certifications: [taught(trade.certificate, 'Valid without limit', 'Certificate holder')],
    courses: [taught(trade.course, 'One term, with a written examination', 'Student')],
    honors: [worked('Colleague of the Year', 'Chosen by the whole company in a secret vote', 'Recipient')],
    languages: [
      language(person.place.language, 'Native or bilingual proficiency'),
      language(second, chance.pick(proficiencies)),
    ],
    organizations: [taught(`Society for ${trade.industry.name}`, 'Monthly meetings and a summer school', 'Treasurer')],
    patents: [worked(`${trade.specialities[0]}: an improved method`, 'Filed with two colleagues', 'Inventor')],
    projects: [worked(trade.project, 'A weekend project that found its users', 'Maintainer')],
    publications: [taught(trade.publication, 'Short paper with open data', 'First author')],
    test_scores: [taught(`${second} language test`, `Score: ${chance.whole(88, 99)} of 100`, 'Candidate')],
    volunteer_experiences: [worked('Repair Café', 'Repairing radios, lamps and bicycles', 'Volunteer')],
  }
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
