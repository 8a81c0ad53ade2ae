import { isoTime, parseMoment } from '../../foundation/clock.ts'
import { Complaints } from '../../foundation/failure.ts'
import { readPriceLists, unreachedLines, type PriceLists } from './price-book.ts'

type ReadDocument = { lists: PriceLists; validFrom: number | null } | { problems: Complaints }

/** Parses a price book that an operator sets; it must not start before `earliest`. */
export function readPriceDocument(document: unknown, earliest: number): ReadDocument {
  const read = readPriceLists(document)
  const problems = 'problems' in read ? read.problems : new Complaints()
  const { valid_from: given = null } = document as { valid_from?: unknown }
  const validFrom = given === null ? null : typeof given === 'string' ? parseMoment(given) : NaN
  if (Number.isNaN(validFrom)) problems.add('valid_from', 'must be a time such as 2026-12-01T00:00:00Z')
  else if (validFrom !== null && validFrom < earliest)
    problems.add('valid_from', `must not be before ${isoTime(earliest)}`)
  return problems.count > 0 || 'problems' in read ? { problems } : { lists: read.lists, validFrom }
}

/** Warnings about lines that no call can reach. */
export function warningsOf(lists: PriceLists): Complaints {
  const warnings = new Complaints()
  for (const { line, behind } of unreachedLines(lists))
    warnings.add(`line ${line}`, `is never reached: line ${behind} fits all that it fits`)
  return warnings
}
