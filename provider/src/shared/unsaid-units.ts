import { Company, type ExperienceGroup, type Kind, Person } from '@vitae/contract'
import { type FlatPosition, groupPositions } from '../mapping/experience.ts'
import { position } from '../mapping/record-items.ts'

/**
 * The payload members that state each unit of a record, per kind: `honors: ['honors_and_awards']`. A unit is a section
 * or another top-level field; a dotted path names a field inside one.
 */
export type Sections = Record<Kind, Readonly<Record<string, readonly string[]>>>

/**
 * The units that a payload does not state, because none of their members is present. A null section (list or object)
 * counts as not stated; a null value counts as stated unknown. `true` marks a hidden value. `known` lists units that
 * are unstated for other reasons.
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

/** A current job that a payload states outside its list of jobs. */
export interface NamedJob {
  company: Partial<FlatPosition['company']>
  title: string | null
}

/**
 * The listed jobs. Without a list, current jobs stated elsewhere in the payload, without dates. `unsaid` then
 * contains `experience`, because one current job is not a full job list.
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
