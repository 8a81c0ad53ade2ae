import { api } from '../api.ts'
import { failureWords } from '../build-words.ts'
import {
  environmentFilter,
  keyFilter,
  kindFilter,
  ListFilters,
  projectFilter,
  wantedOf,
  type Filter,
} from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { Loaded } from '../elements/states.tsx'
import { TimePicker } from '../elements/time/time-picker.tsx'
import { readWindow } from '../elements/time/time-window.ts'
import type { Route } from '../router.ts'
import { useQuery } from '../use-query.ts'
import { CallTable, callsAtOnce, NoCalls } from './calls/call-table.tsx'
import { NewCalls } from './calls/new-calls.tsx'
import { ReceiptView } from './calls/receipt-view.tsx'

const same = (value: string) => [value, value] as const

const filters: Filter[] = [
  { name: 'request_id', label: 'Request id' },
  projectFilter,
  environmentFilter,
  keyFilter,
  { name: 'record', label: 'Record', placeholder: 'its key' },
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
  {
    name: 'status',
    label: 'Status',
    options: [
      ['', 'Any'],
      ...['200', '400', '402', '403', '404', '409', '422', '429', '500', '502', '503', '504'].map(same),
    ],
  },
  { name: 'code', label: 'Code', options: [['', 'Any'], ...Object.keys(failureWords).toSorted().map(same)] },
  { name: 'tag', label: 'Spend tag' },
]

/** The list of calls, or the receipt of one call. */
export function CallsPage({ route }: { route: Route }) {
  const [requestId] = route.rest
  return requestId ? <ReceiptView requestId={requestId} /> : <CallList query={route.query} />
}

function CallList({ query }: { query: URLSearchParams }) {
  const chosen = wantedOf(query, filters)
  const window = readWindow(query, 'any')
  const { since, until } = window
  const wanted = { ...chosen, ...(since ? { since } : {}), ...(until ? { until } : {}) }
  const [cursor, setCursor] = useCursor(['calls'], query)
  const key = `calls ${JSON.stringify(wanted)} ${cursor}`
  const calls = useQuery(key, (signal) =>
    api.get('/calls', { ...wanted, cursor, limit: callsAtOnce, names: true }, signal),
  )
  return (
    <>
      <PageHead title="Calls" actions={<TimePicker path={['calls']} keep={chosen} window={window} mayBeAny />}>
        Newest first. Each call has a receipt with its cost and the reason for its result.
      </PageHead>
      <Panel>
        <ListFilters label="Filter calls" path={['calls']} query={query} filters={filters} keep={window.query} />
        {cursor === null && calls.data ? (
          <NewCalls key={key} wanted={wanted} shown={calls.data.calls} onShow={calls.reload} />
        ) : null}
        <Loaded query={calls}>
          {(data) => (
            <>
              <CallTable
                calls={data.calls}
                empty={<NoCalls filtered={Object.keys(wanted).length > 0} more={data.next_cursor !== null} />}
              />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listCalls', shown: data.calls.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}
