import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { PayloadDialog } from './payload-dialog.tsx'
import { confirmDone } from '../../elements/toast.tsx'

type QueuedEvent = AdminAnswer<'listWebhookQueue'>['events'][number]

/** The waiting events of a webhook. Each can be sent now; events in retry and the next one can be skipped. */
export function EventQueue({ id, paused, onDone }: { id: string; paused: boolean; onDone: () => void }) {
  const [skipping, setSkipping] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const action = useAction()
  const query = useQuery(`queue ${id}`, (signal) => api.get('/webhooks/:id/queue', { id }, signal), {
    pollMs: 15_000,
  })
  const changed = () => {
    query.reload()
    onDone()
  }
  const send = (event: string) =>
    void action
      .run(() => api.post('/webhooks/:id/redeliver', { id, event }))
      .then((isDone) => {
        changed()
        if (isDone) confirmDone({ text: 'The event is sent. See its result under Deliveries.' })
      })
  return (
    <Panel title="Waiting">
      <ErrorNotice error={action.error} />
      <Loaded query={query}>
        {({ events }) => (
          <QueueTable
            events={events}
            paused={paused}
            busy={action.busy}
            onShow={setShown}
            onSend={send}
            onSkip={setSkipping}
          />
        )}
      </Loaded>
      {shown ? <PayloadDialog id={id} event={shown} onClose={() => setShown(null)} /> : null}
      {skipping ? (
        <ConfirmDialog
          title="Skip the event"
          verb="Skip"
          word={null}
          onConfirm={async () => {
            await api.post('/webhooks/:id/skip', { id, event: skipping })
            changed()
          }}
          done={{
            text: 'The event is skipped.',
            undo: () => api.post('/webhooks/:id/redeliver', { id, event: skipping }),
          }}
          onClose={() => setSkipping(null)}
        >
          <p>
            The receiver is not notified of <code>{skipping}</code> any more. It stays in the feed of events.
          </p>
        </ConfirmDialog>
      ) : null}
    </Panel>
  )
}

interface TableProps {
  events: QueuedEvent[]
  paused: boolean
  busy: boolean
  onShow: (event: string) => void
  onSend: (event: string) => void
  onSkip: (event: string) => void
}

function QueueTable({ events, paused, busy, onShow, onSend, onSkip }: TableProps) {
  const next = events.find(({ problem }) => problem === null)
  const actions = ({ event, problem }: QueuedEvent) => (
    <span class="actions">
      <Button small label={`Payload of ${event}`} onClick={() => onShow(event)}>
        Payload
      </Button>
      <Button small busy={busy} label={`Send ${event} now`} onClick={() => onSend(event)}>
        Send now
      </Button>
      {problem !== null || event === next?.event ? (
        <Button small label={`Skip ${event}`} onClick={() => onSkip(event)}>
          Skip
        </Button>
      ) : null}
    </span>
  )
  return (
    <DataTable<QueuedEvent>
      caption="Events that wait, in the order in which they are sent"
      rows={events}
      keyOf={({ event }) => event}
      columns={[
        { label: 'Event', head: true, cell: ({ type, event }) => <span title={event}>{type}</span> },
        { label: 'Since', cell: ({ since }) => <Time at={since} /> },
        { label: 'Attempts', align: 'right', cell: ({ attempts }) => String(attempts) },
        {
          label: 'Next attempt',
          cell: ({ next_attempt_at: at }) => (paused ? 'when resumed' : <NextAttempt at={at} />),
        },
        { label: 'Problem', cell: ({ problem }) => problem ?? '–' },
        { label: 'Actions', align: 'right', cell: actions },
      ]}
      empty={<EmptyState title="Nothing waits for this receiver." />}
    />
  )
}

/** When the service sends the event. A time that has passed means that its turn has come. */
export function NextAttempt({ at }: { at: string | null }) {
  if (at === null) return <>in turn</>
  if (Date.parse(at) <= Date.now()) return <>now</>
  return (
    <>
      <Time at={at} />, <Time at={at} ago />
    </>
  )
}
