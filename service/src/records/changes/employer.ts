import type { ExperienceGroup, Position } from '@vitae/contract'
import { foldText } from '../../foundation/text/fold-text.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'
import { companySlug } from '../identifiers/parse-identifier.ts'

/** An employer of one person, as several versions and providers name it. */
export interface Employer {
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
  groups: Map<string, ExperienceGroup>
  /** The known positions. */
  positions: Position[]
}

/** An employer that no provider has shown yet. */
export function newEmployer(): Employer {
  return {
    ids: new Set(),
    slugs: new Set(),
    names: new Set(),
    moves: 0,
    shown: new Map(),
    states: new Map(),
    starts: new Map(),
    groups: new Map(),
    positions: [],
  }
}

/** Adds the ids, pages and names that an entry uses for its employer. */
export function learn({ ids, slugs, names }: Employer, group: ExperienceGroup): void {
  const slug = companySlug(group.company_url)
  const name = foldText(group.company_name ?? '')
  if (group.company_id !== null) ids.add(group.company_id)
  if (slug !== null) slugs.add(slug)
  if (name !== '') names.add(name)
}

type Proof = (employer: Employer, group: ExperienceGroup) => boolean

const haveSameId: Proof = ({ ids }, { company_id: id }) => id !== null && ids.has(id)
const haveSamePage: Proof = (employer, group) =>
  mayBeSame(employer, group) && employer.slugs.has(companySlug(group.company_url) ?? '')
const haveSameName: Proof = (employer, group) =>
  mayBeSame(employer, group) && employer.names.has(foldText(group.company_name ?? ''))

/**
 * A company that was renamed is recognised by the job: some list had the same title with the same start, as far as both
 * state it. A person who moves to another company keeps the old job in the list, where a stronger proof finds it.
 */
const haveSameJob: Proof = (employer, group) =>
  mayBeSame(employer, group) &&
  [...employer.groups.values()].some(({ positions }) => isSameJob(positions.at(-1), group.positions.at(-1)))

function isSameJob(one: Position | undefined, other: Position | undefined): boolean {
  const [start, otherStart] = [one?.date_range?.start?.iso ?? '', other?.date_range?.start?.iso ?? '']
  const isSameStart = start !== '' && otherStart !== '' && compareIso(start, otherStart) === 0
  return isSameStart && foldText(one?.title ?? '') === foldText(other?.title ?? '')
}

/** Compares dates at the precision that both have. */
export function compareIso(one: string, other: string): number {
  const precision = Math.min(one.length, other.length)
  const [a, b] = [one.slice(0, precision), other.slice(0, precision)]
  return a === b ? 0 : a < b ? -1 : 1
}

/** Two different platform ids are two companies, whatever their names. */
function mayBeSame({ ids }: Employer, { company_id: id }: ExperienceGroup): boolean {
  const isSure = (one: string | null) => one !== null && !isDerivedCompanyId(one)
  return !isSure(id) || ![...ids].some(isSure)
}

/** Proofs that an entry belongs to an employer, strongest first: a stronger proof decides between two candidates. */
export const proofs: readonly Proof[] = [haveSameId, haveSamePage, haveSameName, haveSameJob]
