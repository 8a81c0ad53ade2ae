import { Company, type ExperienceGroup, type Kind, Person } from '@vitae/contract'
import { type FlatPosition, groupPositions } from '../mapping/experience.ts'
import { position } from '../mapping/record-items.ts'

/**
 * The members of a payload that say each unit of a record, per kind: `honors: ['honors_and_awards']`. A unit is a
 * section or another top-level field; a dotted path names a field inside one.
 */
export type Sections = Record<Kind, Readonly<Record<string, readonly string[]>>>

/**
 * The units that a payload does not say, because none of their members is there. A section (a list or an object) that is
 * null is not said either; a single value that is null is said to be unknown. `true` stands for a hidden value.
 * `known` are units that are unsaid for another reason.
 */
export function unsaidUnits(
  sections: Sections,
  kind: Kind,
  payload: Record<string, unknown>,
  known: readonly string[] = [],
): string[] {
  const missing = Object.entries(sections[kind]).flatMap(([unit, members]) =>
    members.some((member) => says(kind, unit, payload[member])) ? [] : unit,
  )
  return [...new Set([...known, ...missing])]
}

function says(kind: Kind, unit: string, value: unknown): boolean {
  if (value === undefined) return false
  const type = typeOf(kind, unit)
  if (value === null) return type !== 'section'
  return value !== true || type === 'boolean'
}

type Schema = { type?: string; anyOf?: Schema[] }

function typeOf(kind: Kind, unit: string): 'section' | 'boolean' | 'value' {
  const properties: Record<string, Schema> = kind === 'people' ? Person.properties : Company.properties
  const schema = properties[unit]
  const type = schema?.anyOf?.find((option) => option.type !== 'null')?.type ?? schema?.type
  return type === 'array' || type === 'object' ? 'section' : type === 'boolean' ? 'boolean' : 'value'
}

/** A current job that a payload names outside its list of jobs. */
export interface NamedJob {
  company: Partial<FlatPosition['company']>
  title: string | null
}

/**
 * The listed jobs. Where there are none, the current jobs that stand elsewhere in the payload, without dates; then
 * `unsaid` names the section, because such a job is no list of jobs.
 */
export function listedOrNamedJobs(
  listed: FlatPosition[],
  named: readonly NamedJob[],
): { experience: ExperienceGroup[]; unsaid: string[] } {
  if (listed.length > 0) return { experience: groupPositions(listed), unsaid: [] }
  const jobs = named.flatMap(({ company, title }): FlatPosition[] => {
    const known = { name: null, id: null, url: null, logoUrl: null, industry: null, headcount: null, ...company }
    if (known.name === null && known.id === null && known.url === null && title === null) return []
    return [{ companyKey: known.id ?? known.url, company: known, workplaceType: null, position: position({ title }) }]
  })
  return { experience: groupPositions(jobs), unsaid: jobs.length > 0 ? ['experience'] : [] }
}
