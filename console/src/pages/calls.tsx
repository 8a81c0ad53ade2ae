import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { Call } from '../api-types.generated.ts'
import { SourceBadge, StatusBadge } from '../elements/badge.tsx'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time.tsx'
import { Word } from '../elements/word.tsx'
import { formatMs, formatNumber } from '../format.ts'
import { hrefTo, type Route } from '../router.ts'
import { useQuery } from '../use-query.ts'
import { CallFilters, readFilters } from './calls/call-filters.tsx'
import { ReceiptView } from './calls/receipt-view.tsx'

/** The calls as they come in, and the receipt of each. */
export function CallsPage({ route }: { route: Route }) {
  const [requestId] = route.rest
  return requestId ? <ReceiptView requestId={requestId} /> : <CallList query={route.query} />
}

function CallList({ query }: { query: URLSearchParams }) {
  const [live, setLive] = useState(true)
  const filters = readFilters(query)
  const name = JSON.stringify(filters)
  const [cursor, setCursor] = useCursor(['calls'], query)
  const calls = useQuery(
    `calls ${name} ${cursor}`,
    (signal) =>
      api.get<{ calls: Call[]; next_cursor: string | null }>('/calls', { ...filters, cursor, limit: 50 }, signal),
    { pollMs: live && cursor === null ? 3_000 : 0 },
  )
  return (
    <>
      <PageHead
        title="Calls"
        actions={
          <Button icon={live ? 'check' : 'refresh'} onClick={() => setLive(!live)}>
            {live ? 'Live' : 'Paused'}
          </Button>
        }
      >
        Newest first{live ? ', renewed every three seconds' : ''}. Each call has a receipt.
      </PageHead>
      <Panel>
        <CallFilters value={filters} />
        <Loaded query={calls}>
          {(data) => (
            <>
              <CallTable calls={data.calls} filtered={Object.keys(filters).length > 0} />
              <Pager next={data.next_cursor} cursor={cursor} onPage={setCursor} />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function CallTable({ calls, filtered }: { calls: Call[]; filtered: boolean }) {
  return (
    <DataTable<Call>
      caption="Calls, newest first"
      rows={calls}
      keyOf={({ request_id }) => request_id}
      columns={[
        {
          label: 'When',
          head: true,
          cell: (call) => (
            <a href={hrefTo(['calls', call.request_id])}>
              <Time at={call.at} />
            </a>
          ),
        },
        { label: 'Answer', cell: (call) => <StatusBadge status={call.status} code={call.code} /> },
        { label: 'Source', cell: ({ source }) => <SourceBadge source={source} /> },
        { label: 'Record', cell: (call) => <Entity call={call} /> },
        { label: 'Environment', cell: ({ project, environment }) => <Word text={`${project}/${environment}`} /> },
        { label: 'Mode', cell: ({ mode }) => mode },
        { label: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(credits) },
        { label: 'Took', align: 'right', cell: (call) => <span class="nowrap">{formatMs(call.duration_ms)}</span> },
      ]}
      empty={
        filtered ? (
          <EmptyState title="No call fits these filters.">Take some away, or wait.</EmptyState>
        ) : (
          <EmptyState title="No call yet.">
            Make one in the <a href="#/playground">Playground</a>.
          </EmptyState>
        )
      }
    />
  )
}

function Entity({ call: { kind, entity_key: key } }: { call: Call }) {
  const name = kind === 'people' ? 'person' : 'company'
  if (key === null) return <span class="faint">{name}</span>
  return (
    <a href={hrefTo(['records', kind, key])} title={key}>
      {name} <Word text={key.replace(/^urn:li:member:/, '')} />
    </a>
  )
}
