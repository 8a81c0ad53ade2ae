import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { NewWebhook, Webhook } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'

type EventType = Webhook['events'][number]

/** Every type; the compiler asks for a new one. */
const eventTypes = Object.keys({
  'person.job_changed': 0,
  'person.promoted': 0,
  'person.changed': 0,
  'company.changed': 0,
  'record.merged': 0,
  'credits.low': 0,
  'ceiling.near': 0,
  'ceiling.reached': 0,
  'budget.reached': 0,
  'provider.down': 0,
  'provider.recovered': 0,
  'backup.overdue': 0,
  'batch.completed': 0,
  'batch.paused': 0,
  'batch.resumed': 0,
  'batch.failed': 0,
} satisfies Record<EventType, 0>) as EventType[]

/** Makes a webhook. */
export function CreateWebhook({ onMade, onClose }: { onMade: (made: NewWebhook) => void; onClose: () => void }) {
  const session = useSession()
  const [project, setProject] = useState(session.project ?? '')
  const [environment, setEnvironment] = useState('')
  const [url, setUrl] = useState('')
  const [format, setFormat] = useState<Webhook['format']>('json')
  const [ordered, setOrdered] = useState(false)
  const [events, setEvents] = useState<EventType[]>([])
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const place = { project: project.trim(), environment: environment.trim() || null }
    await action.run(async () =>
      onMade(await api.post('/webhooks', { ...place, url: url.trim(), format, ordered, events })),
    )
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="URL" value={url} onInput={setUrl} placeholder="https://…" required mono focus />
        <div class="form-row">
          <TextField label="Project" value={project} onInput={setProject} required />
          <TextField label="Environment" value={environment} onInput={setEnvironment} hint="Empty: all of them." />
        </div>
        <SelectField
          label="Format"
          value={format}
          options={[
            ['json', 'JSON: the event itself'],
            ['slack', 'Slack: a message'],
          ]}
          onChange={setFormat}
        />
        <CheckField
          label="Keep the order: a refused event holds back those behind it"
          checked={ordered}
          onChange={setOrdered}
        />
        <fieldset class="field">
          <legend>Events</legend>
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={type}
              checked={events.includes(type)}
              onChange={(checked) => setEvents(checked ? [...events, type] : events.filter((each) => each !== type))}
            />
          ))}
        </fieldset>
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy} disabled={events.length === 0}>
            Make webhook
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
