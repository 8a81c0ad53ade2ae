import { api } from '../../../api.ts'
import type { Call, Key, UsageRow } from '@vitae/contract/admin'
import { StatusBadge } from '../../../elements/badge.tsx'
import { DataTable } from '../../../elements/lists/data-table.tsx'
import { Panel } from '../../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../../elements/states.tsx'
import { Tile } from '../../../elements/tile.tsx'
import { formatNumber } from '../../../format.ts'
import { hrefTo } from '../../../router.ts'
import { answerColumns, tookColumn } from '../../calls/call-table.tsx'
import { useQuery } from '../../../use-query.ts'

interface Usage {
  rows: UsageRow[]
  calls: Call[]
}

/** The last 30 days of a key: spending, sources, failures and latest calls. */
export function KeyUsage({ id, mode }: Pick<Key, 'id' | 'mode'>) {
  const query = useQuery(
    `key usage ${id}`,
    async (signal): Promise<Usage> => {
      const ask = { key_id: id, mode, group: 'source,status', per: 'month', since: '30d' }
      const [{ rows }, { calls }] = await Promise.all([
        api.get<{ rows: UsageRow[] }>('/usage', ask, signal),
        api.get<{ calls: Call[] }>('/calls', { key_id: id, limit: 8 }, signal),
      ])
      return { rows, calls }
    },
    { pollMs: 15_000 },
  )
  return (
    <Loaded query={query}>
      {({ rows, calls }) => (
        <>
          <Sums rows={rows} />
          <div class="columns">
            <Failures rows={rows} id={id} />
            <LastCalls calls={calls} id={id} />
          </div>
        </>
      )}
    </Loaded>
  )
}

function callsOf(rows: UsageRow[], fits: (row: UsageRow) => boolean): number {
  return rows.filter(fits).reduce((sum, { calls }) => sum + calls, 0)
}

function Sums({ rows }: { rows: UsageRow[] }) {
  const from = (source: string) => formatNumber(callsOf(rows, (row) => row.source === source))
  const failed = callsOf(rows, ({ status = 0 }) => status >= 500)
  return (
    <div class="tiles">
      <Tile label="Calls in 30 days" value={formatNumber(callsOf(rows, () => true))}>
        {from('live')} live, {from('store')} store, {from('stale_fallback')} stale
      </Tile>
      <Tile label="Credits in 30 days" value={formatNumber(rows.reduce((sum, { credits }) => sum + credits, 0))} />
      <Tile
        label="Failed here (5xx)"
        value={formatNumber(failed)}
        {...(failed > 0 ? { tone: 'danger' as const } : {})}
      />
      <Tile
        label="Refused (4xx)"
        value={formatNumber(callsOf(rows, ({ status = 0 }) => status >= 400 && status < 500))}
      />
    </div>
  )
}

interface Failure {
  status: number
  calls: number
}

function Failures({ rows, id }: { rows: UsageRow[]; id: string }) {
  const byStatus = Map.groupBy(rows, ({ status = 0 }) => status)
  const failures = [...byStatus]
    .map(([status, own]): Failure => ({ status, calls: callsOf(own, () => true) }))
    .filter(({ status }) => status >= 400)
    .toSorted((a, b) => b.calls - a.calls)
  return (
    <Panel title="How its calls failed">
      <DataTable<Failure>
        caption="Failures of the last 30 days by status"
        rows={failures}
        keyOf={({ status }) => String(status)}
        columns={[
          { label: 'Status', head: true, cell: ({ status }) => <StatusBadge status={status} code={null} /> },
          {
            label: 'Calls',
            align: 'right',
            cell: ({ status, calls }) => (
              <a href={hrefTo(['calls'], { key_id: id, status: String(status) })}>{formatNumber(calls)}</a>
            ),
          },
        ]}
        empty={<EmptyState title="No call failed in 30 days." />}
      />
    </Panel>
  )
}

function LastCalls({ calls, id }: { calls: Call[]; id: string }) {
  return (
    <Panel title="Last calls" actions={<a href={hrefTo(['calls'], { key_id: id })}>All calls</a>}>
      <DataTable<Call>
        caption="Last calls, newest first"
        rows={calls}
        keyOf={({ request_id }) => request_id}
        columns={[...answerColumns({ ago: true }), tookColumn]}
        empty={<EmptyState title="Not used yet." />}
      />
    </Panel>
  )
}
