import type { DateRange, ExperienceGroup, PersonDate, Position } from '@vitae/contract'
import type { Headcount } from './headcount.ts'
import { compareDates } from './partial-date.ts'
import { inOrder } from './precedence.ts'

/** One position as a provider lists it, with what it says of the company. */
export interface FlatPosition {
  /** What tells companies apart at this provider: a number, a slug, a vendor's id. */
  companyKey: string | null
  company: {
    name: string | null
    id: string | null
    url: string | null
    logoUrl: string | null
    industry: string | null
    headcount: Headcount | null
  }
  workplaceType: string | null
  position: Position
}

/** Flat positions as one group per company: promotions, returns and jobs held at once come together. */
export function groupPositions(rows: FlatPosition[]): ExperienceGroup[] {
  const groups = new Map<string, FlatPosition[]>()
  const keyOf = groupKeys(rows)
  rows.forEach((row, index) => {
    const key = keyOf(row, index)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  })
  return inOrder([...groups.values()].map(groupOf), (one) => one.date_range)
}

/** A row without a key joins the one company that bears its name; rows that name no company stay apart. */
function groupKeys(rows: FlatPosition[]): (row: FlatPosition, index: number) => string {
  const keysByName = new Map<string, Set<string>>()
  for (const { companyKey, company } of rows) {
    const name = foldName(company.name)
    if (companyKey !== null && name) keysByName.set(name, (keysByName.get(name) ?? new Set()).add(companyKey))
  }
  return ({ companyKey, company }, index) => {
    if (companyKey !== null) return `key ${companyKey}`
    const name = foldName(company.name)
    if (!name) return `row ${index}`
    const [only, ...others] = keysByName.get(name) ?? []
    return only !== undefined && others.length === 0 ? `key ${only}` : `name ${name}`
  }
}

function foldName(name: string | null): string {
  return (name ?? '').normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
}

function groupOf(rows: FlatPosition[]): ExperienceGroup {
  const ordered = inOrder(rows, (row) => row.position.date_range)
  // The newest row knows the company's present name best.
  const newest = <Value>(read: (row: FlatPosition) => Value | null): Value | null => {
    for (const row of ordered) {
      const value = read(row)
      if (value !== null) return value
    }
    return null
  }
  return {
    company_name: newest((row) => row.company.name),
    company_id: newest((row) => row.company.id),
    company_url: newest((row) => row.company.url),
    company_logo_url: newest((row) => row.company.logoUrl),
    company_industry: newest((row) => row.company.industry),
    company_employee_count_range: newest((row) => row.company.headcount) ?? { start: null, end: null },
    workplace_type: newest((row) => row.workplaceType),
    date_range: span(ordered.map((row) => row.position.date_range)),
    positions: ordered.map((row) => row.position),
  }
}

/** From the earliest start to the latest end, open while any of the periods is. */
function span(ranges: (DateRange | null)[]): DateRange | null {
  const known = ranges.filter((range) => range !== null)
  if (known.length === 0) return null
  const open = known.some((range) => range.end === null)
  return { start: extreme(known, 'start', -1), end: open ? null : extreme(known, 'end', 1) }
}

/** The first or last date; of two that cannot be told apart the vaguer one, which is true of both. */
function extreme(ranges: DateRange[], side: 'start' | 'end', direction: 1 | -1): PersonDate | null {
  const dates = ranges.flatMap((range) => range[side] ?? [])
  return dates.reduce<PersonDate | null>((best, date) => {
    if (!best) return date
    const order = compareDates(date, best) * direction
    return order > 0 || (order === 0 && date.iso.length < best.iso.length) ? date : best
  }, null)
}
