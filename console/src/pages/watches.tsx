import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge } from '../elements/badge.tsx'
import { Button } from '../elements/button.tsx'
import { ConfirmDialog } from '../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { kindFilter, ListFilters, projectFilter, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import { Word } from '../elements/word.tsx'
import { formatNumber } from '../format.ts'
import { hrefTo, useWish, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { AddWatches } from './watches/add-watches.tsx'

type OperatorWatch = AdminAnswer<'listWatches'>['watches'][number]

const filters: Filter[] = [
  projectFilter,
  { name: 'environment', label: 'Environment' },
  kindFilter,
  {
    name: 'paused',
    label: 'State',
    options: [
      ['', 'Any'],
      ['true', 'Paused'],
    ],
  },
]

/** The list of watches, each with its last result, next due time and changes. */
export function WatchesPage({ route }: { route: Route }) {
  const mayAdd = useCan('addWatches')
  const mayRemove = useCan('removeWatch')
  const [adding, setAdding] = useState(false)
  useWish({ add: () => setAdding(true) })
  const [ending, setEnding] = useState<OperatorWatch | null>(null)
  const [cursor, setCursor] = useCursor(['watches'], route.query)
  const wanted = wantedOf(route.query, filters)
  const query = useQuery(`watches ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/watches', { ...wanted, cursor, limit: 50 }, signal),
  )
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      Watch
    </Button>
  )
  return (
    <>
      <PageHead title="Watches" actions={mayAdd ? add : null}>
        Records that are refreshed at regular intervals. The key pays for each refresh; changes become events.
      </PageHead>
      <Panel>
        <ListFilters label="Find watches" path={['watches']} query={route.query} filters={filters} />
        <Loaded query={query}>
          {(data) => (
            <>
              <WatchTable
                rows={data.watches}
                searched={Object.keys(wanted).length > 0}
                onEnd={mayRemove ? setEnding : null}
              />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listWatches', shown: data.watches.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {adding ? <AddWatches onDone={query.reload} onClose={() => setAdding(false)} /> : null}
      {ending ? <EndDialog watch={ending} onDone={query.reload} onClose={() => setEnding(null)} /> : null}
    </>
  )
}

interface TableProps {
  rows: OperatorWatch[]
  searched: boolean
  onEnd: ((watch: OperatorWatch) => void) | null
}

function WatchTable({ rows, searched, onEnd }: TableProps) {
  return (
    <DataTable<OperatorWatch>
      caption="Watches"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Watched', head: true, cell: (row) => <Watched row={row} /> },
        { label: 'Environment', cell: ({ project, environment }) => <Word text={`${project}/${environment}`} /> },
        { label: 'Every', cell: ({ every_days: days }) => (days === 1 ? 'day' : `${days} days`) },
        { label: 'Last seen', cell: (row) => (row.last_seen_at ? <Time at={row.last_seen_at} ago /> : '–') },
        { label: 'Last result', cell: ({ last_result: result }) => result ?? '–' },
        { label: 'Next due', cell: (row) => <Due row={row} /> },
        { label: 'Changed', cell: (row) => <Changed row={row} /> },
        { label: 'Credits in 30 days', align: 'right', cell: (row) => formatNumber(row.credits_per_month) },
        { label: 'End', align: 'right', cell: (row) => <EndButton row={row} onEnd={onEnd} /> },
      ]}
      empty={
        searched ? (
          <EmptyState title="No watch matches." />
        ) : (
          <EmptyState title="There are no watches.">
            “Watch” adds people or companies, and says what they cost.
          </EmptyState>
        )
      }
    />
  )
}

function Watched({ row: { kind, identifier, note } }: { row: OperatorWatch }) {
  return (
    <>
      <a href={hrefTo(['records', kind, identifier])}>{identifier}</a> {note ? <span class="hint">{note}</span> : null}
    </>
  )
}

function Due({ row: { paused, next_due_at: due } }: { row: OperatorWatch }) {
  if (paused) return <Badge tone="warning">{paused}</Badge>
  return due ? <Time at={due} /> : '–'
}

const happened: Record<string, string> = {
  'person.job_changed': 'changed jobs',
  'person.promoted': 'was promoted',
  'person.changed': 'profile changed',
  'company.changed': 'page changed',
}

function Changed({ row: { last_change: change } }: { row: OperatorWatch }) {
  if (!change) return '–'
  return (
    <>
      {happened[change.type] ?? change.type} <Time at={change.at} ago />
    </>
  )
}

function EndButton({ row, onEnd }: { row: OperatorWatch; onEnd: ((watch: OperatorWatch) => void) | null }) {
  if (!onEnd) return null
  return (
    <Button small label={`End the watch of ${row.identifier}`} onClick={() => onEnd(row)}>
      End
    </Button>
  )
}

function EndDialog({ watch, onDone, onClose }: { watch: OperatorWatch; onDone: () => void; onClose: () => void }) {
  const { project, environment, kind, identifier, every_days: days } = watch
  return (
    <ConfirmDialog
      title={`End the watch of ${watch.identifier}`}
      verb="End watch"
      word={null}
      onConfirm={async () => {
        await api.delete('/watches/:id', { id: watch.id })
        onDone()
      }}
      done={{
        text: `The watch of ${watch.identifier} has ended.`,
        undo: () =>
          api.post('/watches', { project, environment, watches: [{ kind, id: identifier, every_days: days }] }),
      }}
      onClose={onClose}
    >
      <p>The record is no longer refreshed, and {watch.project} is no longer notified of its changes.</p>
    </ConfirmDialog>
  )
}
