import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { NewWebhook, Webhook } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../elements/field.tsx'
import { PlaceFields } from '../../elements/place-fields.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'

type EventType = Webhook['events'][number]

/** All event types. The build fails if one is missing. */
const eventTypes = Object.keys({
  'person.job_changed': 0,
  'person.promoted': 0,
  'person.changed': 0,
  'company.changed': 0,
  'record.merged': 0,
  'record.split': 0,
  'record.purged': 0,
  'record.erased': 0,
  'credits.low': 0,
  'ceiling.near': 0,
  'ceiling.reached': 0,
  'budget.reached': 0,
  'provider.down': 0,
  'provider.recovered': 0,
  'provider.cost_differs': 0,
  'provider.drifted': 0,
  'backup.overdue': 0,
  'batch.completed': 0,
  'batch.paused': 0,
  'batch.resumed': 0,
  'batch.failed': 0,
} satisfies Record<EventType, 0>) as EventType[]

/** The settings of a new webhook that can be changed later. */
type Settings = Pick<Webhook, 'url' | 'format' | 'events'>

const blank: Settings = { url: '', format: 'json', events: [] }

/** Creates a webhook. */
export function CreateWebhook({ onMade, onClose }: { onMade: (made: NewWebhook) => void; onClose: () => void }) {
  const session = useSession()
  const [place, setPlace] = useState({ project: session.project ?? '', environment: '' })
  const [settings, setSettings] = useState(blank)
  const send = async () => {
    const body = { project: place.project, environment: place.environment || null, ...settings }
    onMade(await api.post('/webhooks', body))
  }
  return (
    <Form
      title="New webhook"
      verb="Make webhook"
      ready={place.project !== '' && settings.events.length > 0}
      onSend={send}
      onClose={onClose}
    >
      <SettingsFields value={settings} onChange={setSettings}>
        <PlaceFields {...place} onChange={setPlace} everywhere="All of them" />
      </SettingsFields>
    </Form>
  )
}

/** Changes a webhook. Waiting events go to a new URL at once. */
export function EditWebhook({
  webhook,
  onDone,
  onClose,
}: {
  webhook: Webhook
  onDone: () => void
  onClose: () => void
}) {
  const [settings, setSettings] = useState<Settings>(webhook)
  const send = async () => {
    const { url, format, events } = settings
    // Sending a URL restarts the attempts, so omit it if it has not changed.
    const address = url.trim() === webhook.url ? {} : { url: url.trim() }
    await api.patch('/webhooks/:id', { id: webhook.id, ...address, format, events })
    onDone()
  }
  return (
    <Form title="Edit the webhook" verb="Save" ready={settings.events.length > 0} onSend={send} onClose={onClose}>
      <SettingsFields value={settings} onChange={setSettings} />
    </Form>
  )
}

interface FormProps {
  title: string
  verb: string
  ready: boolean
  onSend: () => Promise<void>
  onClose: () => void
  children: ComponentChildren
}

function Form({ title, verb, ready, onSend, onClose, children }: FormProps) {
  const action = useAction()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(onSend)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy} disabled={!ready}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface FieldsProps {
  value: Settings
  onChange: (value: Settings) => void
  children?: ComponentChildren
}

function SettingsFields({ value, onChange, children }: FieldsProps) {
  const { url, format, events } = value
  const set = (change: Partial<Settings>) => onChange({ ...value, ...change })
  return (
    <>
      <TextField
        label="URL"
        value={url}
        onInput={(text) => set({ url: text })}
        placeholder="https://…"
        required
        mono
        focus
      />
      {children}
      <SelectField
        label="Format"
        value={format}
        options={[
          ['json', 'JSON: the event itself'],
          ['slack', 'Slack: a message'],
        ]}
        onChange={(chosen) => set({ format: chosen })}
      />
      <fieldset class="field">
        <legend>Events</legend>
        {eventTypes.map((type) => (
          <CheckField
            key={type}
            label={type}
            checked={events.includes(type)}
            onChange={(checked) =>
              set({ events: checked ? [...events, type] : events.filter((each) => each !== type) })
            }
          />
        ))}
      </fieldset>
    </>
  )
}
