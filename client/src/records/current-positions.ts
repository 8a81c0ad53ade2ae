import type { DateRange, ExperienceGroup, Person, Position } from '../contract.generated.ts'

/** A current job. The position has the title, the group has the employer. */
export type CurrentPosition = { company: ExperienceGroup; position: Position }

/** The current positions of a person, most recent first. */
export function currentPositions(person: Pick<Person, 'experience'>): CurrentPosition[] {
  return person.experience.flatMap((company) =>
    company.positions
      .filter((position) => isOngoing(position.date_range ?? company.date_range))
      .map((position) => ({ company, position })),
  )
}

/** The current employers of a person, including those without a listed position. */
export function currentEmployers(person: Pick<Person, 'experience'>): ExperienceGroup[] {
  return person.experience.filter((company) =>
    company.positions.length > 0
      ? company.positions.some((position) => isOngoing(position.date_range ?? company.date_range))
      : isOngoing(company.date_range),
  )
}

/** A period without an end is ongoing. */
export function isOngoing(range: DateRange | null): boolean {
  return (range?.end ?? null) === null
}
