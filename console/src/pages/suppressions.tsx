import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { kindFilter, ListFilters, wantedOf, type Filter } from '../elements/lists/list-filters.tsx'
import { ErrorNotice } from '../elements/notice.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import { useWish, type Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useAction } from '../use-action.ts'
import { useQuery } from '../use-query.ts'
import { CheckSuppression } from './suppressions/check-suppression.tsx'
import { ChangeSuppressions } from './suppressions/change-suppressions.tsx'

type Suppression = AdminAnswer<'listSuppressions'>['suppressions'][number]

const filters: Filter[] = [
  { name: 'origin', label: 'Origin', placeholder: 'erasure, operator…' },
  kindFilter,
  {
    name: 'order',
    label: 'Order',
    options: [
      ['', 'Newest first'],
      ['oldest', 'Oldest first'],
    ],
  },
]
const saveHashes = () => api.download('/suppressions/export', 'suppressions.ndjson')

/** The suppression list. It holds only keyed hashes, never the identifiers. */
export function SuppressionsPage({ route: { query: address } }: { route: Route }) {
  const mayExport = useCan('exportSuppressions')
  const mayRemove = useCan('removeSuppressions')
  const mayAdd = useCan('addSuppressions')
  const mayCheck = useCan('checkSuppressions')
  const [open, setOpen] = useState<'add' | 'remove' | null>(null)
  useWish({ add: () => setOpen('add') })
  const exporting = useAction()
  const wanted = { order: 'newest', ...wantedOf(address, filters) }
  const [cursor, setCursor] = useCursor(['suppressions'], address)
  const query = useQuery(`suppressions ${JSON.stringify(wanted)} ${cursor}`, (signal) =>
    api.get('/suppressions', { ...wanted, cursor, limit: 50 }, signal),
  )
  const actions = (
    <>
      {mayExport ? (
        <Button busy={exporting.busy} onClick={() => void exporting.run(saveHashes)}>
          Export hashes
        </Button>
      ) : null}
      {mayRemove ? <Button onClick={() => setOpen('remove')}>Remove</Button> : null}
      {mayAdd ? (
        <Button kind="primary" icon="plus" onClick={() => setOpen('add')}>
          Suppress
        </Button>
      ) : null}
    </>
  )
  return (
    <>
      <PageHead title="Suppressions" actions={actions}>
        A suppressed identifier is answered “not found”, and no provider is asked. The list holds keyed hashes only.
      </PageHead>
      {mayCheck ? <CheckSuppression /> : null}
      <ErrorNotice error={exporting.error} />
      <Panel title="The list">
        <ListFilters label="Filter the list" path={['suppressions']} query={address} filters={filters} />
        <Loaded query={query}>
          {(data) => (
            <>
              <SuppressionTable rows={data.suppressions} />
              <Pager
                next={data.next_cursor}
                cursor={cursor}
                onPage={setCursor}
                all={{ list: 'listSuppressions', shown: data.suppressions.length, ask: wanted }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      {open ? (
        <ChangeSuppressions
          what={open}
          onDone={() => {
            setOpen(null)
            query.reload()
          }}
          onClose={() => setOpen(null)}
        />
      ) : null}
    </>
  )
}

function SuppressionTable({ rows }: { rows: Suppression[] }) {
  return (
    <DataTable<Suppression>
      caption="Suppressions"
      rows={rows}
      keyOf={({ hash }) => hash}
      columns={[
        { label: 'Hash', head: true, cell: ({ hash }) => <code title={hash}>{hash.slice(0, 16)}…</code> },
        { label: 'Kind', cell: ({ kind }) => kind },
        { label: 'Origin', cell: ({ origin }) => origin },
        { label: 'Reason', cell: ({ reason }) => reason ?? '–' },
        { label: 'Since', cell: (row) => <Time at={row.created_at} /> },
      ]}
      empty={
        <EmptyState title="Nobody is suppressed.">
          Erasing a record puts it here, and so does “Suppress” with a list of identifiers.
        </EmptyState>
      }
    />
  )
}
