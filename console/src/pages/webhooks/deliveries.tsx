import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge, StatusBadge } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Pager } from '../../elements/lists/pager.tsx'
import { EmptyState, Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time/time.tsx'
import { PayloadDialog } from './payload-dialog.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { confirmDone } from '../../elements/toast.tsx'

type WebhookDelivery = AdminAnswer<'listWebhookDeliveries'>['deliveries'][number]

/** The delivery attempts of a webhook, newest first. Each event can be sent again. */
export function Deliveries({ id }: { id: string }) {
  const [cursor, setCursor] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const action = useAction()
  const query = useQuery(
    `deliveries ${id} ${cursor}`,
    (signal) => api.get('/webhooks/:id/deliveries', { id, cursor, limit: 50 }, signal),
    { pollMs: 5_000 },
  )
  const again = (event: string) =>
    void action
      .run(() => api.post('/webhooks/:id/redeliver', { id, event }))
      .then((isDone) => {
        query.reload()
        if (isDone) confirmDone({ text: 'The event is sent again. Its result is the first delivery.' })
      })
  return (
    <Panel title="Deliveries">
      <ErrorNotice error={action.error} />
      <Loaded query={query}>
        {({ deliveries, next_cursor: next }) => (
          <>
            <DeliveryTable rows={deliveries} busy={action.busy} onAgain={again} onShow={setShown} />
            <Pager
              next={next}
              cursor={cursor}
              onPage={setCursor}
              all={{ list: 'listWebhookDeliveries', shown: deliveries.length, ask: { id } }}
            />
          </>
        )}
      </Loaded>
      {shown ? <PayloadDialog id={id} event={shown} onClose={() => setShown(null)} /> : null}
    </Panel>
  )
}

interface TableProps {
  rows: WebhookDelivery[]
  busy: boolean
  onAgain: (event: string) => void
  onShow: (event: string) => void
}

function DeliveryTable({ rows, busy, onAgain, onShow }: TableProps) {
  return (
    <DataTable<WebhookDelivery>
      caption="Deliveries, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { label: 'Event', head: true, cell: ({ type, event }) => <span title={event}>{type}</span> },
        { label: 'At', cell: ({ at }) => <Time at={at} /> },
        { label: 'Kind', cell: ({ kind, attempt }) => (attempt > 1 ? `attempt ${attempt}` : kind) },
        { label: 'Status', cell: (row) => <Status row={row} /> },
        { label: 'Answer', cell: ({ answer }) => <span title={answer}>{answer.slice(0, 120)}</span> },
        { label: 'Took', align: 'right', cell: ({ duration_ms: ms }) => `${ms} ms` },
        {
          label: 'Again',
          align: 'right',
          cell: ({ kind, event }) =>
            kind === 'test' ? null : (
              <span class="actions">
                <Button small label={`Payload of ${event}`} onClick={() => onShow(event)}>
                  Payload
                </Button>
                <Button small busy={busy} label={`Send ${event} again`} onClick={() => onAgain(event)}>
                  Redeliver
                </Button>
              </span>
            ),
        },
      ]}
      empty={<EmptyState title="Nothing was delivered yet." />}
    />
  )
}

function Status({ row: { status, outcome } }: { row: WebhookDelivery }) {
  return status === null ? <Badge tone="danger">{outcome}</Badge> : <StatusBadge status={status} code={null} />
}
