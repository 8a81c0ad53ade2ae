import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { RecordRow } from '../../api-types.generated.ts'
import { Badge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/data-table.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { PageHead, Panel } from '../../elements/page-head.tsx'
import { Pager, useCursor } from '../../elements/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time.tsx'
import { formatNumber } from '../../format.ts'
import { goTo, hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { Reproject } from './reproject.tsx'

const kinds = [
  ['', 'People and companies'],
  ['people', 'People'],
  ['companies', 'Companies'],
] as const

/** Finds records by slug, URL, id or name. */
export function RecordSearch({ query }: { query: URLSearchParams }) {
  const mayReproject = useCan('reprojectRecords')
  const [reprojecting, setReprojecting] = useState(false)
  const wanted = { text: query.get('text') ?? '', kind: query.get('kind') ?? '' }
  const name = JSON.stringify(wanted)
  const [cursor, setCursor] = useCursor(name)
  const found = useQuery(`records ${name} ${cursor}`, (signal) =>
    api.get<{ records: RecordRow[]; next_cursor: string | null }>('/records', { ...wanted, cursor, limit: 50 }, signal),
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
        <SearchForm key={name} {...wanted} />
        <Loaded query={found}>
          {(data) => (
            <>
              <RecordTable records={data.records} searched={wanted.text !== ''} />
              <Pager next={data.next_cursor} cursor={cursor} onPage={setCursor} />
            </>
          )}
        </Loaded>
      </Panel>
      {reprojecting ? <Reproject onClose={() => setReprojecting(false)} /> : null}
    </>
  )
}

function SearchForm(present: { text: string; kind: string }) {
  const [text, setText] = useState(present.text)
  const kind = kinds.find(([option]) => option === present.kind)?.[0] ?? ''
  const search = (change: { kind?: string }) => goTo(hrefTo(['records'], { text: text.trim(), kind, ...change }))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    search({})
  }
  return (
    <form class="filters search" role="search" aria-label="Find records" onSubmit={submit}>
      <TextField label="Find" type="search" value={text} onInput={setText} placeholder="slug, URL, id or name" />
      <SelectField label="Kind" value={kind} options={kinds} onChange={(chosen) => search({ kind: chosen })} />
      <Button type="submit" icon="search">
        Find
      </Button>
    </form>
  )
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
          cell: ({ kind, key, name, slug }) => <a href={hrefTo(['records', kind, key])}>{name ?? slug ?? key}</a>,
        },
        { label: 'Kind', cell: ({ kind }) => (kind === 'people' ? 'person' : 'company') },
        { label: 'Slug', cell: ({ slug }) => (slug === null ? '–' : <code>{slug}</code>) },
        {
          label: 'Marks',
          cell: ({ thin, derived }) => (
            <>
              {thin ? <Badge tone="warning">thin</Badge> : null} {derived ? <Badge>derived id</Badge> : null}
            </>
          ),
        },
        { label: 'Provider', cell: ({ provider }) => provider ?? '–' },
        { label: 'Fetched', cell: (record) => <Time at={record.fetched_at} ago /> },
        { label: 'Versions', align: 'right', cell: ({ versions }) => formatNumber(versions) },
      ]}
      empty={
        searched ? (
          <EmptyState title="Nothing kept fits.">
            A record is kept once a live key has asked for it, or after an import.
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
