import type { DateRange, Person } from '@vitae/contract'
import { expect } from 'vitest'

/** A period as a reader writes it: `2012-03..2016`, `2019..` while it goes on, null when nothing is known. */
export function periodOf(range: DateRange | null | undefined): string | null {
  return range ? `${range.start?.iso ?? ''}..${range.end?.iso ?? ''}` : null
}

/** The work history in few words. */
export function groupsOf(person: Person) {
  return person.experience.map((group) => ({
    name: group.company_name,
    id: group.company_id,
    url: group.company_url,
    period: periodOf(group.date_range),
    positions: group.positions.map((position) => `${position.title} ${periodOf(position.date_range)}`),
  }))
}

/** A company stands in one group only, however often someone came back to it. */
export function expectOneGroupPerCompany(person: Person): void {
  const companies = person.experience.map((group) => group.company_id ?? group.company_url ?? group.company_name)
  expect(companies).toEqual([...new Set(companies)])
}
