import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Webhook } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { ConfirmDialog } from '../../elements/dialogs/confirm-dialog.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { goTo, hrefTo } from '../../router.ts'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { EditWebhook } from './create-webhook.tsx'
import { EventQueue, NextAttempt } from './event-queue.tsx'
import { Deliveries } from './deliveries.tsx'
import { ParkedEvents } from './parked-events.tsx'
import { ShownSecret } from './shown-secret.tsx'
import { WebhookState } from './webhook-state.tsx'
import { confirmDone, type Done } from '../../elements/toast.tsx'

/** One webhook with its state, actions and deliveries. */
export function WebhookDetails({ id }: { id: string }) {
  const query = useQuery(`webhook ${id}`, (signal) => api.get('/webhooks/:id', { id }, signal), { pollMs: 5_000 })
  const mayChange = useCan('updateWebhook')
  const [rounds, setRounds] = useState(0)
  const changed = () => {
    query.reload()
    setRounds((count) => count + 1)
  }
  return (
    <>
      <Back to={['webhooks']}>Webhooks</Back>
      <PageHead
        title="Webhook"
        actions={query.data && mayChange ? <Actions webhook={query.data} onDone={changed} /> : null}
      />
      <Panel>
        <Loaded query={query}>{(webhook) => <Facts webhook={webhook} />}</Loaded>
      </Panel>
      {mayChange ? (
        <>
          <EventQueue key={`queue ${rounds}`} id={id} paused={query.data?.state === 'paused'} onDone={changed} />
          {query.data?.parked ? <ParkedEvents id={id} onDone={changed} /> : null}
          <Deliveries key={rounds} id={id} />
        </>
      ) : null}
    </>
  )
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { url, project, environment, events, format, next_attempt_at: next } = webhook
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
            <NextAttempt at={next} />
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
    </dl>
  )
}

function Actions({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { id } = webhook
  const [secret, setSecret] = useState<string | null>(null)
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const action = useAction()
  const run = (work: () => Promise<unknown>, message: Done) =>
    void action.run(work).then((isDone) => {
      onDone()
      if (isDone) confirmDone(message)
    })
  const state = webhook.state === 'paused' ? 'active' : 'paused'
  const setState = (next: 'active' | 'paused') => () => api.patch('/webhooks/:id', { id, state: next })
  const isSet = {
    text: state === 'active' ? 'The webhook is sent events again.' : 'The webhook is paused. Its events wait.',
    undo: setState(state === 'active' ? 'paused' : 'active'),
  }
  const { url, format, events } = webhook
  const isSaved = { text: 'The webhook is saved.', undo: () => api.patch('/webhooks/:id', { id, url, format, events }) }
  const isSent = { text: 'A test event is sent. Its result is the first delivery.' }
  const rotate = async () => setSecret((await api.post('/webhooks/:id/rotate', { id })).secret)
  return (
    <>
      <ErrorNotice error={action.error} />
      <Button busy={action.busy} onClick={() => run(() => api.post('/webhooks/:id/test', { id }), isSent)}>
        Send test
      </Button>
      <Button busy={action.busy} onClick={() => run(setState(state), isSet)}>
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
            confirmDone(isSaved)
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
          onConfirm={() => api.delete('/webhooks/:id', { id })}
          done={{ text: 'The webhook is deleted.' }}
          onDone={() => goTo(hrefTo(['webhooks']))}
          onClose={close}
        >
          <p>It receives no more events, and its delivery log is deleted.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
