import type { Education, SectionItem } from '@vitae/contract'
import { educationItem, sectionItem } from '../mapping/record-items.ts'
import { rows } from '../wire/envelope.ts'
import type { FlatPosition } from '../mapping/experience.ts'
import { plainText, withFacts } from '../mapping/text.ts'

type Read<Item> = (raw: Record<string, unknown>) => Item

/** A provider's list as items of a section, without those that do not even say what they are. */
export function sectionItems(value: unknown, read: Read<Partial<SectionItem>>): SectionItem[] {
  return rows(value)
    .map((raw) => sectionItem({ description: plainText(raw.description), ...read(raw) }))
    .filter((item) => item.name !== null || item.company !== null)
}

/** A course with what stands beside its title: who gives it, or its number (`CS 101`), which is not a company. */
export function courseItem(name: string | null, beside: string | null): Partial<SectionItem> {
  const isNumber =
    /^(?:[A-Z\d][A-Z\d .:/-]{0,14}|[A-Za-z]{2,8}[ -]?\d{1,5}[A-Za-z]?)$/.test(beside ?? '') && /\d/.test(beside ?? '')
  return isNumber ? { name, description: withFacts(null, { 'Course number': beside }) } : { name, company: beside }
}

/** A provider's list as education, without items that say nothing. */
export function educationItems(value: unknown, read: Read<Partial<Education>>): Education[] {
  return rows(value)
    .map((raw) => educationItem(read(raw)))
    .filter((item) => Object.values(item).some((known) => known !== null))
}

/** A position with every id and page by which its company may be told from others, the surest first. */
export type ReadPosition = Omit<FlatPosition, 'companyKey'> & { companyKeys: (string | null)[] }

/** A provider's list as positions, without those that name neither company nor job. */
export function flatPositions(value: unknown, read: Read<ReadPosition>): FlatPosition[] {
  const positions = rows(value)
    .map(read)
    .filter(({ company, position }) => company.name !== null || position.title !== null)
  const keys = joinedKeys(positions.map(({ companyKeys }) => companyKeys))
  return positions.map((position, index) => ({ ...position, companyKey: keys[index] ?? null }))
}

/**
 * One key per row, the same for rows that share any of their keys: a company may come with its id in one row and only
 * with its page in the next.
 */
export function joinedKeys(rows: (string | null)[][]): (string | null)[] {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    const parent = parents.get(key)
    return parent === undefined || parent === key ? key : rootOf(parent)
  }
  const known = rows.map((keys) => keys.filter((key) => key !== null))
  for (const [first, ...others] of known) {
    for (const other of others) if (first !== undefined) parents.set(rootOf(other), rootOf(first))
  }
  return known.map(([first]) => (first === undefined ? null : rootOf(first)))
}
