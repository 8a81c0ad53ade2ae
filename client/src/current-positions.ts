import type { DateRange, ExperienceGroup, Person, Position } from './contract.generated.ts'

/** A job held now. The title stands on the position, the employer on the group. */
export type CurrentPosition = { company: ExperienceGroup; position: Position }

/** The positions a person holds now, the most recent first. */
export function currentPositions(person: Pick<Person, 'experience'>): CurrentPosition[] {
  return person.experience.flatMap((company) =>
    company.positions
      .filter((position) => isOngoing(position.date_range ?? company.date_range))
      .map((position) => ({ company, position })),
  )
}

/** The employers a person works for now, also those of which no position is told. */
export function currentEmployers(person: Pick<Person, 'experience'>): ExperienceGroup[] {
  return person.experience.filter((company) =>
    company.positions.length > 0
      ? company.positions.some((position) => isOngoing(position.date_range ?? company.date_range))
      : isOngoing(company.date_range),
  )
}

/** A period without an end goes on. */
export function isOngoing(range: DateRange | null): boolean {
  return (range?.end ?? null) === null
}
