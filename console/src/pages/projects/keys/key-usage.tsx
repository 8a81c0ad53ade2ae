import { api } from '../../../api.ts'
import type { Call, Key, UsageRow } from '@vitae/contract/admin'
import { StatusBadge } from '../../../elements/badge.tsx'
import { DataTable } from '../../../elements/lists/data-table.tsx'
import { Panel } from '../../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../../elements/states.tsx'
import { Tile } from '../../../elements/tile.tsx'
import { formatCredits, formatNumber } from '../../../format.ts'
import { hrefTo } from '../../../router.ts'
import { answerColumns, tookColumn } from '../../calls/call-table.tsx'
import { useQuery } from '../../../use-query.ts'
import { callsOf, UsagePanel, useUsage } from '../usage.tsx'

/** The last 30 days of a key: spending, sources, failures and latest calls. */
export function KeyUsage({ of: key }: { of: Key }) {
  const { id, mode } = key
  const usage = useUsage({ key_id: id }, mode)
  const calls = useQuery(`key calls ${id}`, (signal) => api.get('/calls', { key_id: id, limit: 8 }, signal), {
    pollMs: 15_000,
  })
  return (
    <>
      {usage.data ? <Sums rows={usage.data.rows} of={key} /> : null}
      <UsagePanel query={usage} place={{ key_id: id }} />
      <div class="columns">
        {usage.data ? <Failures rows={usage.data.rows} id={id} /> : null}
        <Loaded query={calls}>{({ calls: last }) => <LastCalls calls={last} id={id} />}</Loaded>
      </div>
    </>
  )
}

function Sums({ rows, of: key }: { rows: UsageRow[]; of: Key }) {
  const from = (source: string) => formatNumber(callsOf(rows, (row) => row.source === source))
  const failed = callsOf(rows, ({ status = 0 }) => status >= 500)
  return (
    <div class="tiles">
      <Tile label="Spent this month" value={formatNumber(key.spent_this_month)}>
        {key.mode === 'test' ? 'free' : key.ceiling === null ? 'no ceiling' : `of ${formatCredits(key.ceiling)}`}
      </Tile>
      <Tile label="Calls in 30 days" word="calls" value={formatNumber(callsOf(rows, () => true))}>
        {from('live')} live, {from('store')} store, {from('stale_fallback')} stale
      </Tile>
      <Tile
        label="Credits in 30 days"
        word="credits"
        value={formatNumber(rows.reduce((sum, { credits }) => sum + credits, 0))}
      />
      <Tile
        label="Failed here (5xx)"
        word="failed"
        value={formatNumber(failed)}
        {...(failed > 0 ? { tone: 'danger' as const } : {})}
      />
      <Tile
        label="Refused (4xx)"
        word="refused"
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
