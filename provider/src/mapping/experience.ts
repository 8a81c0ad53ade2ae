import type { DateRange, ExperienceGroup, PersonDate, Position } from '@vitae/contract'
import type { Headcount } from './headcount.ts'
import { compareDates, endedRange, latestDay } from './partial-date.ts'
import { position } from './record-items.ts'
import { normalised, text } from './text.ts'

/** One position as a provider lists it, with the facts about its company. */
export interface FlatPosition {
  /** The key that distinguishes companies at this provider: a number, a slug or a vendor id. */
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
  /** The provider's own flag, if it has one. An end date takes precedence. */
  isCurrent?: boolean | null
  /** The provider marks this job as the main one. */
  isPrimary?: boolean | null
}

/**
 * Groups flat positions by company, so promotions, returns and parallel jobs share a group. The position of a group in
 * the list is that of its most recent job.
 */
export function groupPositions(rows: FlatPosition[]): ExperienceGroup[] {
  const ordered = rows.map(withFlag).toSorted(byRecency)
  const keyOf = groupKeys(ordered)
  const keyed = ordered.map((row, index) => ({ key: keyOf(row, index), row }))
  return [...Map.groupBy(keyed, ({ key }) => key).values()].map((group) => groupOf(group.map(({ row }) => row)))
}

/**
 * Applies the flag to the dates: a finished job gets an end, and a current job without dates gets a period without
 * dates.
 */
function withFlag(row: FlatPosition): FlatPosition {
  const range = row.position.date_range
  if (range?.end) return row
  const ongoing = row.isCurrent ? (range ?? { start: null, end: null }) : range
  const date_range = row.isCurrent === false ? endedRange(range?.start ?? null) : ongoing
  return date_range === range ? row : { ...row, position: { ...row.position, date_range } }
}

/**
 * Orders current positions first, in the provider's order with the primary one first. Past positions follow by later
 * end, then by later start; unknown periods come last. A vague date counts as the latest day it can mean, and a start
 * is never later than its end.
 */
function byRecency(a: FlatPosition, b: FlatPosition): number {
  const [one, two] = [a.position.date_range, b.position.date_range]
  const isPrimaryLater = Number(b.isPrimary ?? false) - Number(a.isPrimary ?? false)
  if (isOngoing(one) && isOngoing(two)) return isPrimaryLater
  const isOngoingLater = Number(isOngoing(two)) - Number(isOngoing(one))
  return isOngoingLater || lastDay(two) - lastDay(one) || firstDay(two) - firstDay(one)
}

function isOngoing(range: DateRange | null): boolean {
  return range !== null && range.end === null
}

function lastDay(range: DateRange | null): number {
  return range?.end ? latestDay(range.end) : 0
}

function firstDay(range: DateRange | null): number {
  return range?.start ? Math.min(latestDay(range.start), range.end ? lastDay(range) : Infinity) : 0
}

/** A row without a key joins the only company with the same name. Rows without a company name stay separate. */
function groupKeys(rows: FlatPosition[]): (row: FlatPosition, index: number) => string {
  if (rows.every(({ companyKey }) => companyKey !== null)) return ({ companyKey }) => `key ${companyKey}`
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
  return normalised(name ?? '', 'NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}

/** The group of one company. `rows` are ordered newest first. */
function groupOf(rows: FlatPosition[]): ExperienceGroup {
  // Prefer the newest row: it has the company's current name.
  const newest = <Value>(read: (row: FlatPosition) => Value | null): Value | null => {
    for (const row of rows) {
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
    date_range: span(rows.map((row) => row.position.date_range)),
    positions: rows.map((row) => row.position),
  }
}

/**
 * Groups again by the same rules, for groups from elsewhere or two groups of one company. A group without positions
 * becomes one position without a title.
 */
export function regroup(
  groups: readonly ExperienceGroup[],
  keyOf: (group: ExperienceGroup, index: number) => string | null,
): ExperienceGroup[] {
  return groupPositions(groups.flatMap((group, index) => flatRows(group, keyOf(group, index))))
}

function flatRows(group: ExperienceGroup, companyKey: string | null): FlatPosition[] {
  const isUndated = group.positions.every((one) => one.date_range === null)
  const { start, end } = group.company_employee_count_range
  const company = {
    name: group.company_name,
    id: group.company_id,
    url: group.company_url,
    logoUrl: group.company_logo_url,
    industry: group.company_industry,
    headcount: start === null && end === null ? null : { start, end },
  }
  const held = group.positions.length > 0 ? group.positions : [position({})]
  return held.map((one, at) => ({
    companyKey,
    company,
    workplaceType: group.workplace_type,
    // If only the group has dates, they apply to its first position.
    position: isUndated && at === 0 ? { ...one, date_range: group.date_range } : one,
  }))
}

/** From the earliest start to the latest end; open if any of the periods is open. */
function span(ranges: (DateRange | null)[]): DateRange | null {
  const known = ranges.filter((range) => range !== null)
  if (known.length === 0) return null
  const open = known.some((range) => range.end === null)
  return { start: extreme(known, 'start', -1), end: open ? null : extreme(known, 'end', 1) }
}

/** The first or last date. If two dates overlap, the vaguer one, because it is true of both. */
function extreme(ranges: DateRange[], side: 'start' | 'end', direction: 1 | -1): PersonDate | null {
  const dates = ranges.flatMap((range) => range[side] ?? [])
  return dates.reduce<PersonDate | null>((best, date) => {
    if (!best) return date
    const order = compareDates(date, best) * direction
    return order > 0 || (order === 0 && date.iso.length < best.iso.length) ? date : best
  }, null)
}

/** `remote`, `hybrid` or `onsite`, or null for anything else. */
export function workplaceType(value: unknown): string | null {
  const folded = text(value)
    ?.toLowerCase()
    .replace(/[^a-z]/g, '')
  return folded === 'remote' || folded === 'hybrid' || folded === 'onsite' ? folded : null
}
