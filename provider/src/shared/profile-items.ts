import type { Education, SectionItem } from '@vitae/contract'
import { educationItem, sectionItem } from '../mapping/record-items.ts'
import { rows } from '../wire/envelope.ts'
import type { FlatPosition } from '../mapping/experience.ts'
import { plainText, withFacts } from '../mapping/text.ts'

type Read<Item> = (raw: Record<string, unknown>) => Item

/** Maps a provider's list to section items and drops items without a name. */
export function sectionItems(value: unknown, read: Read<Partial<SectionItem>>): SectionItem[] {
  return rows(value)
    .map((raw) => sectionItem({ description: plainText(raw.description), ...read(raw) }))
    .filter((item) => item.name !== null || item.company !== null)
}

/** A course with the text next to its title: the school, or a course number (`CS 101`), which is not a company. */
export function courseItem(name: string | null, beside: string | null): Partial<SectionItem> {
  const isNumber =
    /^(?:[A-Z\d][A-Z\d .:/-]{0,14}|[A-Za-z]{2,8}[ -]?\d{1,5}[A-Za-z]?)$/.test(beside ?? '') && /\d/.test(beside ?? '')
  return isNumber ? { name, description: withFacts(null, { 'Course number': beside }) } : { name, company: beside }
}

/** Maps a provider's list to education items and drops empty ones. */
export function educationItems(value: unknown, read: Read<Partial<Education>>): Education[] {
  return rows(value)
    .map((raw) => educationItem(read(raw)))
    .filter((item) => Object.values(item).some((known) => known !== null))
}

/** A position with every id and page that can identify its company, most reliable first. */
export type ReadPosition = Omit<FlatPosition, 'companyKey'> & { companyKeys: (string | null)[] }

/** Maps a provider's list to positions and drops those with neither company nor job. */
export function flatPositions(value: unknown, read: Read<ReadPosition>): FlatPosition[] {
  const positions = rows(value)
    .map(read)
    .filter(({ company, position }) => company.name !== null || position.title !== null)
  const keys = joinedKeys(positions.map(({ companyKeys }) => companyKeys))
  return positions.map((position, index) => ({ ...position, companyKey: keys[index] ?? null }))
}

/**
 * Assigns one key per row; rows that share any key get the same one. A company may appear with its id in one row and
 * only with its page in the next.
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
