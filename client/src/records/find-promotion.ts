import type { ExperienceGroup, Position } from '../contract.generated.ts'
import { isOngoing } from './current-positions.ts'
import { parsePartialDate } from './parse-partial-date.ts'

/** A new position at the same employer. A record does not show which of the two is higher. */
export type Promotion = { company: ExperienceGroup; from: Position; to: Position }

/**
 * The new position at an employer that stayed, or null. A reworded title is not a promotion: it keeps its start and
 * leaves no ended position.
 */
export function findPromotion(before: ExperienceGroup, after: ExperienceGroup): Promotion | null {
  const from = before.positions.find((position) => isHeld(position, before))
  const to = after.positions.find((position) => isHeld(position, after))
  if (!from || !to || !title(from) || !title(to) || title(from) === title(to)) return null
  // The position existed before: a parallel position has ended, or the order has changed.
  if (before.positions.some((position) => title(position) === title(to))) return null
  const hasEnded = after.positions.some((position) => title(position) === title(from) && !isHeld(position, after))
  return hasEnded || startsLater(from, to) ? { company: after, from, to } : null
}

const isHeld = (position: Position, company: ExperienceGroup) => isOngoing(position.date_range ?? company.date_range)

const title = (position: Position) => (position.title ?? '').slice(0, 300).normalize('NFKC').trim().toLowerCase()

/**
 * True only if the two starts cannot mean the same day: "2021" and "2021-09" may be one start with different precision.
 */
function startsLater(from: Position, to: Position): boolean {
  const [earlier, later] = [from, to].map(({ date_range: range }) => parsePartialDate(range?.start))
  return Boolean(earlier && later && later.earliest > earlier.latest)
}
