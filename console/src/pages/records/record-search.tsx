import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { kindFilter, ListFilters, wantedOf, type Filter } from '../../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { formatNumber } from '../../format.ts'
import { hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { Reproject } from './reproject.tsx'

type RecordRow = AdminAnswer<'searchRecords'>['records'][number]

const filters: Filter[] = [
  { name: 'text', label: 'Find', placeholder: 'name, slug, URL, id' },
  kindFilter,
  { name: 'provider', label: 'Provider' },
  {
    name: 'thin',
    label: 'Content',
    options: [
      ['', 'Any'],
      ['true', 'Thin only'],
      ['false', 'Not thin'],
    ],
  },
  {
    name: 'age',
    label: 'Age',
    options: [
      ['', 'Any'],
      ['under-7d', 'Under a week'],
      ['under-30d', 'Under a month'],
      ['over-30d', 'Over a month'],
      ['over-90d', 'Over 3 months'],
      ['over-365d', 'Over a year'],
    ],
  },
  {
    name: 'order',
    label: 'Order',
    options: [
      ['', 'Newest first'],
      ['oldest', 'Oldest first'],
    ],
  },
]

/** Searches records by a word of a name or company, or by slug, URL or id. */
export function RecordSearch({ query }: { query: URLSearchParams }) {
  const mayReproject = useCan('reprojectRecords')
  const [reprojecting, setReprojecting] = useState(false)
  const wanted = wantedOf(query, filters)
  const [cursor, setCursor] = useCursor(['records'], query)
  const found = useQuery(`records ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/records', asked(wanted, cursor), signal),
  )
  return (
    <>
      <PageHead
        title="Records"
        actions={mayReproject ? <Button onClick={() => setReprojecting(true)}>Reproject</Button> : null}
      >
        What the store keeps. Opening a record is written to the audit log.
      </PageHead>
      <Panel>
        <ListFilters label="Find records" path={['records']} query={query} filters={filters} />
        <Loaded query={found}>
          {(data) => (
            <>
              <RecordTable records={data.records} searched={Object.keys(wanted).length > 0} />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'searchRecords', shown: data.records.length, ask: asked(wanted, null) }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {reprojecting ? <Reproject onClose={() => setReprojecting(false)} /> : null}
    </>
  )
}

/** Converts the filters to API parameters. The age filter becomes a limit on the fetch time. */
function asked({ age, ...wanted }: Record<string, string>, cursor: string | null) {
  const [, side, span] = /^(under|over)-(\d+d)$/.exec(age ?? '') ?? []
  const fetched = { fetched_after: side === 'under' ? span : null, fetched_before: side === 'over' ? span : null }
  return { ...wanted, ...fetched, cursor, limit: 50 }
}

function RecordTable({ records, searched }: { records: RecordRow[]; searched: boolean }) {
  return (
    <DataTable<RecordRow>
      caption="Records"
      rows={records}
      keyOf={({ kind, key }) => `${kind}/${key}`}
      columns={[
        {
          label: 'Name',
          head: true,
          cell: ({ kind, key, name, slug }) => (
            <a dir="auto" href={hrefTo(['records', kind, key])}>
              {name ?? slug ?? key}
            </a>
          ),
        },
        { label: 'Kind', cell: ({ kind }) => (kind === 'people' ? 'person' : 'company') },
        { label: 'Slug', cell: ({ slug }) => (slug === null ? '–' : <code dir="auto">{slug}</code>) },
        {
          label: 'Marks',
          cell: ({ thin, derived }) =>
            thin || derived ? (
              <>
                {thin ? <Badge tone="warning">thin</Badge> : null} {derived ? <Badge>derived id</Badge> : null}
              </>
            ) : null,
        },
        { label: 'Provider', cell: ({ provider }) => provider ?? '–' },
        { label: 'Fetched', cell: (record) => <Time at={record.fetched_at} ago /> },
        { label: 'Versions', align: 'right', cell: ({ versions }) => formatNumber(versions) },
      ]}
      empty={
        searched ? (
          <EmptyState title="No stored record matches.">
            A record is stored when a live key asks for it, or by an import.
          </EmptyState>
        ) : (
          <EmptyState title="The store is empty.">
            The first live lookup fills it. Try one in the <a href="#/playground">Playground</a>.
          </EmptyState>
        )
      }
    />
  )
}
