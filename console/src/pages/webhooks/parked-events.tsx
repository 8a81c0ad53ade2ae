import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Pager } from '../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { confirmDone } from '../../elements/toast.tsx'

type ParkedEvent = AdminAnswer<'listParkedEvents'>['parked'][number]

/** The events parked after three days of failed retries. One or all can be sent again. */
export function ParkedEvents({ id, onDone }: { id: string; onDone: () => void }) {
  const [cursor, setCursor] = useState<string | null>(null)
  const action = useAction()
  const query = useQuery(
    `parked ${id} ${cursor}`,
    (signal) => api.get('/webhooks/:id/parked', { id, cursor, limit: 50 }, signal),
    { pollMs: 15_000 },
  )
  const run = (work: () => Promise<unknown>) =>
    void action.run(work).then((isDone) => {
      query.reload()
      onDone()
      if (isDone) confirmDone({ text: 'Sent again. See the results under Deliveries.' })
    })
  return (
    <Panel title="Parked events">
      <ErrorNotice error={action.error} />
      <div class="panel-body">
        <Button busy={action.busy} onClick={() => run(() => api.post('/webhooks/:id/parked/retry', { id }))}>
          Send all again
        </Button>
      </div>
      <Loaded query={query}>
        {({ parked, next_cursor: next }) => (
          <>
            <ParkedTable
              rows={parked}
              busy={action.busy}
              onAgain={(event) => run(() => api.post('/webhooks/:id/redeliver', { id, event }))}
            />
            <Pager
              next={next}
              cursor={cursor}
              onPage={setCursor}
              all={{ list: 'listParkedEvents', shown: parked.length, ask: { id } }}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

interface TableProps {
  rows: ParkedEvent[]
  busy: boolean
  onAgain: (event: string) => void
}

function ParkedTable({ rows, busy, onAgain }: TableProps) {
  return (
    <DataTable<ParkedEvent>
      caption="Parked events, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Event', head: true, cell: ({ type, event }) => <span title={event}>{type}</span> },
        { label: 'Since', cell: ({ failing_since: since }) => <Time at={since} /> },
        { label: 'Attempts', align: 'right', cell: ({ attempts }) => String(attempts) },
        { label: 'Problem', cell: ({ problem }) => problem },
        {
          label: 'Again',
          align: 'right',
          cell: ({ event }) => (
            <Button small busy={busy} label={`Send parked ${event} again`} onClick={() => onAgain(event)}>
              Redeliver
            </Button>
          ),
        },
      ]}
      empty={<EmptyState title="There are no parked events." />}
    />
  )
}
