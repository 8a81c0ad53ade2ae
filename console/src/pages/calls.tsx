import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { Call } from '../api-types.generated.ts'
import { SourceBadge, StatusBadge } from '../elements/badge.tsx'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { kindFilter, ListFilters, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow } from '../elements/time/time-window.ts'
import { Time } from '../elements/time.tsx'
import { Word } from '../elements/word.tsx'
import { formatMs, formatNumber } from '../format.ts'
import { hrefTo, type Route } from '../router.ts'
import { useQuery } from '../use-query.ts'
import { ReceiptView } from './calls/receipt-view.tsx'

const filters: Filter[] = [
  { name: 'project', label: 'Project' },
  { name: 'environment', label: 'Environment' },
  { name: 'key_id', label: 'Key id' },
  kindFilter,
  {
    name: 'source',
    label: 'Source',
    options: [
      ['', 'Any'],
      ['live', 'Live'],
      ['store', 'Store'],
      ['stale_fallback', 'Stale'],
    ],
  },
  { name: 'status', label: 'Status', placeholder: '402' },
  { name: 'code', label: 'Code', placeholder: 'not_found' },
  { name: 'tag', label: 'Spend tag' },
]

/** The calls as they come in, and the receipt of each. */
export function CallsPage({ route }: { route: Route }) {
  const [requestId] = route.rest
  return requestId ? <ReceiptView requestId={requestId} /> : <CallList query={route.query} />
}

function CallList({ query }: { query: URLSearchParams }) {
  const [live, setLive] = useState(true)
  const chosen = wantedOf(query, filters)
  const window = readWindow(query, 'any')
  const { since, until } = window
  const wanted = { ...chosen, ...(since ? { since } : {}), ...(until ? { until } : {}) }
  const [cursor, setCursor] = useCursor(['calls'], query)
  const calls = useQuery(
    `calls ${JSON.stringify(wanted)} ${cursor}`,
    (signal) =>
      api.get<{ calls: Call[]; next_cursor: string | null }>('/calls', { ...wanted, cursor, limit: 50 }, signal),
    { pollMs: live && cursor === null ? 3_000 : 0 },
  )
  return (
    <>
      <PageHead
        title="Calls"
        actions={
          <>
            <TimePicker path={['calls']} keep={chosen} window={window} mayBeAny />
            <Button icon={live ? 'check' : 'refresh'} onClick={() => setLive(!live)}>
              {live ? 'Live' : 'Paused'}
            </Button>
          </>
        }
      >
        Newest first{live ? ', renewed every three seconds' : ''}. Each call has a receipt.
      </PageHead>
      <Panel>
        <ListFilters label="Filter calls" path={['calls']} query={query} filters={filters} keep={window.query} />
        <Loaded query={calls}>
          {(data) => (
            <>
              <CallTable
                calls={data.calls}
                filtered={Object.keys(wanted).length > 0}
                more={data.next_cursor !== null}
              />
              <Pager next={data.next_cursor} cursor={cursor} onPage={setCursor} />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function CallTable({ calls, filtered, more }: { calls: Call[]; filtered: boolean; more: boolean }) {
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
        more ? (
          <EmptyState title="No call so far fits these filters.">Older ones are on the next page.</EmptyState>
        ) : filtered ? (
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
