import type { ExperienceGroup, Position } from './contract.generated.ts'
import { isOngoing } from './current-positions.ts'
import { parsePartialDate } from './parse-partial-date.ts'

/** Another position at the same employer. Which of the two is higher is not told by a record. */
export type Promotion = { company: ExperienceGroup; from: Position; to: Position }

/**
 * The new position at an employer that stayed, or null. A title that was only reworded keeps its start and leaves no
 * ended position behind, so it is none.
 */
export function findPromotion(before: ExperienceGroup, after: ExperienceGroup): Promotion | null {
  const from = before.positions.find((position) => isHeld(position, before))
  const to = after.positions.find((position) => isHeld(position, after))
  if (!from || !to || !title(from) || !title(to) || title(from) === title(to)) return null
  // It was held before as well: a second position beside it has ended, or the order has changed.
  if (before.positions.some((position) => title(position) === title(to))) return null
  const hasEnded = after.positions.some((position) => title(position) === title(from) && !isHeld(position, after))
  return hasEnded || startsLater(from, to) ? { company: after, from, to } : null
}

const isHeld = (position: Position, company: ExperienceGroup) => isOngoing(position.date_range ?? company.date_range)

const title = (position: Position) => (position.title ?? '').normalize('NFKC').trim().toLowerCase()

/** Only where the two starts cannot mean the same day: "2021" and "2021-09" may be one start, told more precisely. */
function startsLater(from: Position, to: Position): boolean {
  const [earlier, later] = [from, to].map(({ date_range: range }) => parsePartialDate(range?.start))
  return Boolean(earlier && later && later.earliest > earlier.latest)
}
