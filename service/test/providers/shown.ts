import type { DateRange, Person } from '@vitae/contract'
import { expect } from 'vitest'

/** A period as short text: `2012-03..2016`, `2019..` if ongoing, null if unknown. */
export function periodOf(range: DateRange | null | undefined): string | null {
  return range ? `${range.start?.iso ?? ''}..${range.end?.iso ?? ''}` : null
}

/** The work history as short texts. */
export function groupsOf(person: Person) {
  return person.experience.map((group) => ({
    name: group.company_name,
    id: group.company_id,
    url: group.company_url,
    period: periodOf(group.date_range),
    positions: group.positions.map((position) => `${position.title} ${periodOf(position.date_range)}`),
  }))
}

/** Checks that each company has one group, however often someone returned to it. */
export function expectOneGroupPerCompany(person: Person): void {
  const companies = person.experience.map((group) => group.company_id ?? group.company_url ?? group.company_name)
  expect(companies).toEqual([...new Set(companies)])
}
