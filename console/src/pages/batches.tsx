import { api } from '../api.ts'
import type { OperatorBatch } from '@vitae/contract/admin'
import { MeterBar } from '../elements/charts/meter-bar.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import {
  environmentFilter,
  ListFilters,
  projectFilter,
  wantedOf,
  type Filter,
} from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import { Word } from '../elements/word.tsx'
import { formatNumber } from '../format.ts'
import { hrefTo, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { BatchDetails } from './batches/batch-details.tsx'
import { BatchState, rowsDone } from './batches/batch-state.tsx'
import { NewBatch } from './batches/new-batch.tsx'

const filters: Filter[] = [
  { name: 'text', label: 'Find', placeholder: 'part of the name' },
  projectFilter,
  environmentFilter,
  {
    name: 'status',
    label: 'State',
    options: [
      ['', 'Any'],
      ['queued', 'Queued'],
      ['running', 'Running'],
      ['paused', 'Paused'],
      ['completed', 'Completed'],
      ['cancelled', 'Cancelled'],
      ['failed', 'Failed'],
    ],
  },
]

/** The list of batches, one batch, or the form for a new one. */
export function BatchesPage({ route: { rest, query } }: { route: Route }) {
  const [id] = rest
  if (id === 'new') return <NewBatch keyId={query.get('key')} />
  return id === undefined ? <BatchList query={query} /> : <BatchDetails key={id} id={id} />
}

function BatchList({ query: address }: { query: URLSearchParams }) {
  const maySubmit = useCan('submitBatch')
  const wanted = wantedOf(address, filters)
  const [cursor, setCursor] = useCursor(['batches'], address)
  const query = useQuery(
    `batches ${JSON.stringify(wanted)} ${cursor}`,
    (signal) => api.get('/batches', { ...wanted, cursor, limit: 50 }, signal),
    { pollMs: 5_000 },
  )
  const add = (
    <a class="button primary" href={hrefTo(['batches', 'new'])}>
      New batch
    </a>
  )
  return (
    <>
      <PageHead title="Batches" actions={maySubmit ? add : null}>
        Files of lookups that run in the background. A key pays for them.
      </PageHead>
      <Panel>
        <ListFilters label="Find batches" path={['batches']} query={address} filters={filters} />
        <Loaded query={query}>
          {(data) => (
            <>
              <BatchTable rows={data.batches} searched={Object.keys(wanted).length > 0} />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listBatches', shown: data.batches.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

function BatchTable({ rows, searched }: { rows: OperatorBatch[]; searched: boolean }) {
  return (
    <DataTable<OperatorBatch>
      caption="Batches, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Batch', head: true, cell: ({ id, name }) => <a href={hrefTo(['batches', id])}>{name ?? id}</a> },
        { label: 'Environment', cell: ({ project, environment }) => <Word text={`${project}/${environment}`} /> },
        { label: 'State', cell: (row) => <BatchState batch={row} /> },
        {
          label: 'Rows',
          cell: (row) => <MeterBar work label={`Rows done of ${row.id}`} used={rowsDone(row)} limit={row.total} />,
        },
        { label: 'Found', align: 'right', cell: ({ counts }) => formatNumber(counts.found) },
        { label: 'Credits', align: 'right', cell: (row) => formatNumber(row.credits_spent) },
        { label: 'Submitted', cell: (row) => <Time at={row.created_at} ago /> },
      ]}
      empty={
        searched ? (
          <EmptyState title="No batch matches." />
        ) : (
          <EmptyState title="There are no batches.">
            “New batch” looks up a CSV file, and says first what it costs. A batch is removed some days after its end.
          </EmptyState>
        )
      }
    />
  )
}
