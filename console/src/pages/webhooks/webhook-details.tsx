import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { NewWebhook, Webhook } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { Time } from '../../elements/time.tsx'
import { goTo, hrefTo } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { EditWebhook } from './create-webhook.tsx'
import { EventQueue } from './event-queue.tsx'
import { Deliveries } from './deliveries.tsx'
import { ParkedEvents } from './parked-events.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookState } from './webhook-state.tsx'

/** One webhook with its state, actions and deliveries. */
export function WebhookDetails({ id }: { id: string }) {
  const path = `/webhooks/${encodeURIComponent(id)}`
  const query = useQuery(path, (signal) => api.get<Webhook>(path, {}, signal), { pollMs: 5_000 })
  const [rounds, setRounds] = useState(0)
  const changed = () => {
    query.reload()
    setRounds((count) => count + 1)
  }
  return (
    <>
      <Back to={['webhooks']}>Webhooks</Back>
      <PageHead title="Webhook" actions={query.data ? <Actions webhook={query.data} onDone={changed} /> : null} />
      <Panel>
        <Loaded query={query}>{(webhook) => <Facts webhook={webhook} />}</Loaded>
      </Panel>
      <EventQueue key={`queue ${rounds}`} path={path} onDone={changed} />
      {query.data?.parked ? <ParkedEvents path={path} onDone={changed} /> : null}
      <Deliveries key={rounds} path={path} />
    </>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { url, project, environment, events, format, ordered, next_attempt_at: next } = webhook
  return (
    <dl class="facts panel-body">
      <dt>URL</dt>
      <dd>
        <code>{url}</code>
      </dd>
      <dt>State</dt>
      <dd>
        <WebhookState webhook={webhook} />
      </dd>
      {next ? (
        <>
          <dt>Next attempt</dt>
          <dd>
            <Time at={next} />
          </dd>
        </>
      ) : null}
      <dt>Environment</dt>
      <dd>
        {project}/{environment ?? 'all'}
      </dd>
      <dt>Events</dt>
      <dd>
        {events.join(', ')}, as {format}
      </dd>
      <dt>Order</dt>
      <dd>{ordered ? 'kept: a refused event blocks later events' : 'a refused event is retried separately'}</dd>
    </dl>
  )
}

function Actions({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const path = `/webhooks/${encodeURIComponent(webhook.id)}`
  const [secret, setSecret] = useState<string | null>(null)
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const action = useAction()
  const run = (work: () => Promise<unknown>) => void action.run(work).then(onDone)
  const state = webhook.state === 'paused' ? 'active' : 'paused'
  const rotate = async () => setSecret((await api.post<NewWebhook>(`${path}/rotate`, {})).secret)
  return (
    <>
      <ErrorNotice error={action.error} />
      <Button busy={action.busy} onClick={() => run(() => api.post(`${path}/test`))}>
        Send test
      </Button>
      <Button busy={action.busy} onClick={() => run(() => api.patch(path, { state }))}>
        {state === 'active' ? 'Resume' : 'Pause'}
      </Button>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Button onClick={() => setOpen('rotate')}>Rotate secret</Button>
      <Button kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      {secret ? <ShownSecret secret={secret} onClose={() => setSecret(null)} /> : null}
      {open === 'edit' ? (
        <EditWebhook
          webhook={webhook}
          onDone={() => {
            close()
            onDone()
          }}
          onClose={close}
        />
      ) : null}
      {open === 'rotate' ? (
        <ConfirmDialog title="Rotate the secret" verb="Rotate secret" word={null} onConfirm={rotate} onClose={close}>
          <p>Requests are signed with a new secret from now on, and with the old one too for a day.</p>
        </ConfirmDialog>
      ) : null}
      {open === 'delete' ? (
        <ConfirmDialog
          title="Delete the webhook"
          verb="Delete"
          word={null}
          onConfirm={() => api.delete(path)}
          onDone={() => goTo(hrefTo(['webhooks']))}
          onClose={close}
        >
          <p>It gets no more events, and the log of its deliveries is deleted.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
