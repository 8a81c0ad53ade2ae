import type { Education } from '@vitae/contract'
import { mediaUrl, pageUrl } from './vocabulary/addresses.ts'
import type { Chance } from './vocabulary/chance.ts'
import { companyCore, schoolNumber } from './company-core.ts'
import { type Months, yearDate } from './vocabulary/months.ts'
import type { PersonCore } from './person-core.ts'

const activities = [
  'Chamber choir, cycling club',
  'Student newspaper',
  'Debating society, rowing',
  'Volunteer tutoring',
]

/** One or two degrees that end before the first job begins, the later one first. */
export function schooling(chance: Chance, person: PersonCore, began: Months): Education[] {
  const year = Math.floor(began / 12)
  const field = chance.pick(person.trade.studies)
  if (chance.odds(50)) return [study(chance, person, 'Bachelor of Science', field, year - 4, year)]
  return [
    study(chance, person, 'Master of Science', field, year - 2, year),
    study(chance, person, 'Bachelor of Science', field, year - 6, year - 2),
  ]
}

function study(chance: Chance, person: PersonCore, degree: string, field: string, from: number, to: number): Education {
  const school = companyCore(schoolNumber(person.place, chance.whole(0, 1)))
  return {
    school_name: school.name,
    school_id: school.id,
    school_url: pageUrl('school', school.slug),
    school_logo_url: mediaUrl('companies', school.id, 'logo.png'),
    company_id: school.id,
    degree,
    field_of_study: field,
    grade: chance.pick(['With distinction', 'First class', 'Very good']),
    activities: chance.pick(activities),
    description: degree.startsWith('Master')
      ? `Thesis: ${person.trade.publication}`
      : `Final project: ${person.trade.project}`,
    date_range: { start: yearDate(from), end: yearDate(to) },
  }
}
