import type { UsageRow } from '@vitae/contract/admin'
import { dayOf } from '../../zone.ts'
import { hrefTo } from '../../router.ts'

const groups = [
  ['project', 'Project'],
  ['environment', 'Environment'],
  ['key', 'Key'],
  ['tag', 'Spend tag'],
  ['endpoint', 'Endpoint'],
  ['source', 'Source'],
  ['status', 'Status'],
  ['day', 'Day'],
] as const
export type Group = (typeof groups)[number][0]

/** The scope of the report, narrowed by each click. */
export interface Place {
  project?: string
  environment?: string
  key_id?: string
  tag?: string
}

/** The API's value for calls without a tag. */
const noTag = '(none)'

/** Reads the scope from a URL query. */
export function placeOf(query: URLSearchParams): Place {
  const names = ['project', 'environment', 'key_id', 'tag'] as const
  return Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))
}

/** The groupings that still make sense in a scope, the next level first. */
export function groupsIn({ project, environment, key_id, tag }: Place): (readonly [Group, string])[] {
  const steps: [Group, boolean][] = [
    ['project', project !== undefined || key_id !== undefined],
    ['environment', environment !== undefined || key_id !== undefined],
    ['key', key_id !== undefined],
    ['tag', tag !== undefined],
  ]
  const done = steps.filter(([, isFixed]) => isFixed).map(([name]) => name)
  return groups.filter(([name]) => !done.includes(name))
}

/** The display name of a row's group. */
export function nameOf(row: UsageRow, by: Group, place: Place): string {
  if (row.rest !== undefined) return `${row.rest} others`
  if (by === 'environment') return place.project ? (row.environment ?? '') : `${row.project}/${row.environment}`
  if (by === 'tag') return row.tag ?? 'without a tag'
  if (by === 'source') return row.source ?? 'no answer'
  if (by === 'endpoint') return row.kind ?? 'unknown'
  if (by === 'status') return String(row.status ?? 'unknown')
  if (by === 'key') return row.key_label ?? row.key_display ?? row.key_id ?? 'unknown'
  return by === 'day' ? dayOf(Date.parse(row.period)) : (row.project ?? 'unknown')
}

/** The scope after a click on a group, one level deeper; null if the row cannot be narrowed. */
export function stepInto(row: UsageRow, by: Group, place: Place): Place | null {
  if (row.rest !== undefined) return null
  if (by === 'project') return { ...place, ...named({ project: row.project }) }
  if (by === 'environment') return { ...place, ...named({ project: row.project, environment: row.environment }) }
  if (by === 'key') return { ...place, ...named({ key_id: row.key_id }) }
  return by === 'tag' ? { ...place, tag: row.tag ?? noTag } : null
}

function named(place: { [Name in keyof Place]?: string | undefined }): Place {
  return Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined))
}

/** Link to the calls behind a row; null if the call log has no filter for them. */
export function callsHref(row: UsageRow, by: Group, place: Place, time: Record<string, string>): string | null {
  if (row.rest !== undefined || place.tag === noTag) return null
  const own: Record<Group, Record<string, string | null | undefined>> = {
    project: { project: row.project },
    environment: { project: row.project, environment: row.environment },
    key: { key_id: row.key_id },
    tag: { tag: row.tag },
    endpoint: { kind: row.kind },
    source: { source: row.source },
    status: { status: row.status === undefined ? undefined : String(row.status) },
    day: dayQuery(Date.parse(row.period)),
  }
  if (Object.values(own[by]).includes(null)) return null
  return hrefTo(['calls'], { ...place, ...(by === 'day' ? {} : time), ...own[by] })
}

/** A time window of one day as a URL query. */
export function dayQuery(at: number): { from: string; to: string } {
  return { from: dayOf(at), to: dayOf(at) }
}
