import type { ExperienceGroup, Position } from '@vitae/contract'
import { normalised } from '@vitae/provider'
import { foldText } from '../../foundation/text/fold-text.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'
import { companySlug } from '../identifiers/parse-identifier.ts'

/** An entry of a list with the facts that are compared. Each is computed once: lists are compared entry by entry. */
export interface Entry {
  group: ExperienceGroup
  /** Whether its company has an id of the platform. */
  isSure: boolean
  slug: string | null
  name: string
  positions: Held[]
  /** The title and the start of the first position. */
  first: { title: string; start: string }
}

/** A position with its facts. */
export interface Held {
  position: Position
  title: string
  start: string
  end: string | undefined
}

/** The facts of an entry. */
export function entryOf(group: ExperienceGroup): Entry {
  const { company_id: id, company_url: url, company_name: name, positions } = group
  const first = positions.at(-1)
  return {
    group,
    isSure: id !== null && !isDerivedCompanyId(id),
    slug: companySlug(url),
    name: foldText(name ?? ''),
    positions: positions.map(heldOf),
    first: { title: foldText(first?.title ?? ''), start: first?.date_range?.start?.iso ?? '' },
  }
}

function heldOf(position: Position): Held {
  const { title, date_range: range } = position
  return { position, title: foldCase(title), start: range?.start?.iso ?? '', end: range?.end?.iso }
}

function foldCase(title: string | null): string {
  return normalised(title ?? '', 'NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
}

/** An employer of one person, as several versions and providers name it. */
export interface Employer {
  /** Whether one of its ids is one of the platform. */
  isSure: boolean
  ids: Set<string>
  slugs: Set<string>
  names: Set<string>
  /** The number of known joins and leaves: odd while the person works there. */
  moves: number
  /** The moves that each provider has shown. A provider that shows fewer than are known is behind. */
  shown: Map<string, number>
  /** Whether each provider's last list shows it as current; null if that list has no dates for it. */
  states: Map<string, boolean | null>
  /** The start of the last employment there as shown by each provider; empty if it shows no date. */
  starts: Map<string, string>
  /** The entry for it in each provider's last list. */
  entries: Map<string, Entry>
  /** The known positions. */
  positions: Held[]
}

/** An employer that no provider has shown yet. */
export function newEmployer(): Employer {
  return {
    isSure: false,
    ids: new Set(),
    slugs: new Set(),
    names: new Set(),
    moves: 0,
    shown: new Map(),
    states: new Map(),
    starts: new Map(),
    entries: new Map(),
    positions: [],
  }
}

/** Adds the ids, pages and names that an entry uses for its employer. */
export function learn(employer: Employer, { group, isSure, slug, name }: Entry): void {
  employer.isSure ||= isSure
  if (group.company_id !== null) employer.ids.add(group.company_id)
  if (slug !== null) employer.slugs.add(slug)
  if (name !== '') employer.names.add(name)
}

type Proof = (employer: Employer, entry: Entry) => boolean

const haveSameId: Proof = ({ ids }, { group: { company_id: id } }) => id !== null && ids.has(id)
const haveSamePage: Proof = (employer, entry) => mayBeSame(employer, entry) && employer.slugs.has(entry.slug ?? '')
const haveSameName: Proof = (employer, entry) => mayBeSame(employer, entry) && employer.names.has(entry.name)

/**
 * A company that was renamed is recognised by the job: some list had the same title with the same start, as far as both
 * state it. A person who moves to another company keeps the old job in the list, where a stronger proof finds it.
 */
const haveSameJob: Proof = (employer, entry) => {
  if (entry.first.start === '' || !mayBeSame(employer, entry)) return false
  for (const { first } of employer.entries.values()) if (isSameJob(first, entry.first)) return true
  return false
}

function isSameJob(one: Entry['first'], other: Entry['first']): boolean {
  return one.start !== '' && one.title === other.title && compareIso(one.start, other.start) === 0
}

/** Compares dates at the precision that both have. */
export function compareIso(one: string, other: string): number {
  const precision = Math.min(one.length, other.length)
  const [a, b] = [one.slice(0, precision), other.slice(0, precision)]
  return a === b ? 0 : a < b ? -1 : 1
}

/** Two different platform ids are two companies, whatever their names. */
function mayBeSame(employer: Employer, entry: Entry): boolean {
  return !entry.isSure || !employer.isSure
}

/** Proofs that an entry belongs to an employer, strongest first: a stronger proof decides between two candidates. */
export const proofs: readonly Proof[] = [haveSameId, haveSamePage, haveSameName, haveSameJob]
