import { api } from '../api.ts'
import type { UsageRow } from '../api-types.generated.ts'
import { DataTable } from '../elements/data-table.tsx'
import { SelectField } from '../elements/field.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { formatNumber, formatShare } from '../format.ts'
import { goTo, hrefTo, type Route } from '../router.ts'
import { useQuery } from '../use-query.ts'

const groups = [
  ['project', 'Project'],
  ['environment', 'Environment'],
  ['key', 'Key'],
  ['tag', 'Spend tag'],
  ['endpoint', 'Endpoint'],
  ['source', 'Source'],
  ['day', 'Day (UTC)'],
] as const
type Group = (typeof groups)[number][0]
const spans = [
  ['1d', 'Last day'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
] as const
type Span = (typeof spans)[number][0]

/** Who spent the credits: the sums of the ledger, by what one wants to know. */
export function SpendPage({ route }: { route: Route }) {
  const by = groups.find(([name]) => name === route.query.get('by'))?.[0] ?? 'project'
  const since = spans.find(([name]) => name === route.query.get('since'))?.[0] ?? '30d'
  const ask = { group: by, since, per: 'month' }
  const query = useQuery(`spend ${by} ${since}`, (signal) => api.get<{ rows: UsageRow[] }>('/usage', ask, signal))
  const choose = (change: { by?: Group; since?: Span }) => goTo(hrefTo(['spend'], { by, since, ...change }))
  return (
    <>
      <PageHead
        title="Spend"
        actions={
          <a
            class="button"
            href={`/admin/v1/usage?${new URLSearchParams({ ...ask, format: 'csv' })}`}
            download="spend.csv"
          >
            CSV
          </a>
        }
      >
        Calls and credits of live keys. The sums are those of the ledger.
      </PageHead>
      <Panel>
        <div class="filters" role="search" aria-label="What to add up">
          <SelectField label="By" value={by} options={groups} onChange={(value) => choose({ by: value })} />
          <SelectField label="Time" value={since} options={spans} onChange={(value) => choose({ since: value })} />
        </div>
        <Loaded query={query}>{({ rows }) => <Sums sums={addUp(rows, by)} by={by} />}</Loaded>
      </Panel>
    </>
  )
}

interface Sum {
  name: string
  calls: number
  credits: number
}

function Sums({ sums, by }: { sums: Sum[]; by: Group }) {
  const all = sums.reduce((total, { credits }) => total + credits, 0)
  return (
    <DataTable<Sum>
      caption="Calls and credits, most credits first"
      rows={sums}
      keyOf={({ name }) => name}
      columns={[
        { label: groups.find(([name]) => name === by)?.[1] ?? '', head: true, cell: ({ name }) => <bdi>{name}</bdi> },
        { label: 'Calls', align: 'right', cell: ({ calls }) => formatNumber(calls) },
        { label: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
        { label: 'Share', align: 'right', cell: ({ credits }) => formatShare(all === 0 ? 0 : credits / all) },
      ]}
      empty={<EmptyState title="No live call in this time.">Choose a longer one.</EmptyState>}
    />
  )
}

/** One line per group over all periods, the most expensive first. */
function addUp(rows: readonly UsageRow[], by: Group): Sum[] {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const name = nameOf(row, by)
    const sum = sums.get(name) ?? { name, calls: 0, credits: 0 }
    sums.set(name, { name, calls: sum.calls + row.calls, credits: sum.credits + row.credits })
  }
  return [...sums.values()].toSorted((a, b) => b.credits - a.credits || b.calls - a.calls)
}

function nameOf(row: UsageRow, by: Group): string {
  if (by === 'environment') return `${row.project}/${row.environment}`
  if (by === 'tag') return row.tag ?? 'without a tag'
  if (by === 'source') return row.source ?? 'no answer'
  if (by === 'endpoint') return row.kind ?? 'unknown'
  return (by === 'key' ? row.key_id : by === 'day' ? row.day : row.project) ?? 'unknown'
}
