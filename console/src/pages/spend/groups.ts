import type { UsageRow } from '../../api-types.generated.ts'
import { hrefTo } from '../../router.ts'

export const groups = [
  ['project', 'Project'],
  ['environment', 'Environment'],
  ['key', 'Key'],
  ['tag', 'Spend tag'],
  ['endpoint', 'Endpoint'],
  ['source', 'Source'],
  ['day', 'Day (UTC)'],
] as const
export type Group = (typeof groups)[number][0]

export interface Sum {
  name: string
  calls: number
  credits: number
  /** One of the rows behind it, which says what it is about. */
  row: UsageRow
}

/** One line per group over all periods, the most expensive first. */
export function addUp(rows: readonly UsageRow[], by: Group): Sum[] {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const name = nameOf(row, by)
    const sum = sums.get(name) ?? { name, calls: 0, credits: 0, row }
    sums.set(name, { ...sum, calls: sum.calls + row.calls, credits: sum.credits + row.credits })
  }
  return [...sums.values()].toSorted((a, b) => b.credits - a.credits || b.calls - a.calls)
}

/** What a group is called. */
export function nameOf(row: UsageRow, by: Group): string {
  if (by === 'environment') return `${row.project}/${row.environment}`
  if (by === 'tag') return row.tag ?? 'without a tag'
  if (by === 'source') return row.source ?? 'no answer'
  if (by === 'endpoint') return row.kind ?? 'unknown'
  return (by === 'key' ? row.key_id : by === 'day' ? row.day : row.project) ?? 'unknown'
}

/** The calls behind a line; null where the call log cannot be asked for them. */
export function callsHref({ row }: Sum, by: Group, since: string): string | null {
  const filters: Record<Group, Record<string, string | null | undefined>> = {
    project: { project: row.project },
    environment: { project: row.project, environment: row.environment },
    key: { key_id: row.key_id },
    tag: { tag: row.tag },
    endpoint: { kind: row.kind },
    source: { source: row.source },
    day: { since: row.day, until: dayAfter(row.day) },
  }
  const filter = filters[by]
  return Object.values(filter).includes(null) ? null : hrefTo(['calls'], { since, ...filter })
}

function dayAfter(day = ''): string {
  return day === '' ? '' : new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}
