import type { ExperienceGroup, Position } from '@vitae/contract'
import { foldText } from '../../foundation/text/fold-text.ts'
import { isDerivedCompanyId } from '../../foundation/identifier.ts'
import { companySlug } from '../identifiers/parse-identifier.ts'

/** An employer of one person, as several versions and providers name it. */
export interface Employer {
  ids: Set<string>
  slugs: Set<string>
  names: Set<string>
  /** How often somebody is known to have joined or left it: odd while the person works there. */
  moves: number
  /** The moves that each provider has shown. One that shows fewer than are known is late. */
  shown: Map<string, number>
  /** Whether each provider's last list has it as current; null where that list gives it no dates. */
  states: Map<string, boolean | null>
  /** Its group in each provider's last list. */
  groups: Map<string, ExperienceGroup>
  /** The positions that are known. */
  positions: Position[]
}

/** An employer that was never shown. */
export function newEmployer(): Employer {
  return {
    ids: new Set(),
    slugs: new Set(),
    names: new Set(),
    moves: 0,
    shown: new Map(),
    states: new Map(),
    groups: new Map(),
    positions: [],
  }
}

/** Adds the names by which a group knows its employer. */
export function learn({ ids, slugs, names }: Employer, group: ExperienceGroup): void {
  const slug = companySlug(group.company_url)
  const name = foldText(group.company_name ?? '')
  if (group.company_id !== null) ids.add(group.company_id)
  if (slug !== null) slugs.add(slug)
  if (name !== '') names.add(name)
}

type Proof = (employer: Employer, group: ExperienceGroup, provider: string) => boolean

const haveSameId: Proof = ({ ids }, { company_id: id }) => id !== null && ids.has(id)
const haveSamePage: Proof = (employer, group) =>
  mayBeSame(employer, group) && employer.slugs.has(companySlug(group.company_url) ?? '')
const haveSameName: Proof = (employer, group) =>
  mayBeSame(employer, group) && employer.names.has(foldText(group.company_name ?? ''))

/** A company that got another name and page is known by the job: its provider shows the same title with the same start. */
const haveSameJob: Proof = (employer, group, provider) => {
  const [own, other] = [employer.groups.get(provider)?.positions.at(-1), group.positions.at(-1)]
  const start = own?.date_range?.start?.iso
  const isSameStart = start !== undefined && start === other?.date_range?.start?.iso
  return mayBeSame(employer, group) && isSameStart && foldText(own?.title ?? '') === foldText(other.title ?? '')
}

/** Two ids of the platform that differ are two companies, whatever they are called. */
function mayBeSame({ ids }: Employer, { company_id: id }: ExperienceGroup): boolean {
  const isSure = (one: string | null) => one !== null && !isDerivedCompanyId(one)
  return !isSure(id) || ![...ids].some(isSure)
}

/** What proves that a group is of an employer, the surest first: a better proof decides where two could. */
export const proofs: readonly Proof[] = [haveSameId, haveSamePage, haveSameName, haveSameJob]
