import { useId, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { NewKey, Project } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialog.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { changedSettings, KeySettingsFields, readSettings } from './key-settings.tsx'

interface Props {
  projects: Project[]
  onMade: (key: NewKey) => void
  onClose: () => void
}

/** Makes a key. A project or an environment that does not exist yet is made with it. */
export function CreateKey({ projects, onMade, onClose }: Props) {
  const session = useSession()
  const [project, setProject] = useState(session.project ?? projects[0]?.name ?? '')
  const [environment, setEnvironment] = useState('production')
  const [mode, setMode] = useState<'test' | 'live'>('test')
  const [settings, setSettings] = useState(() => readSettings())
  const action = useAction()
  const listId = useId()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    await action.run(async () => {
      const place = { project: project.trim(), environment: environment.trim(), mode }
      onMade(await api.post<NewKey>('/keys', { ...place, ...changedSettings(readSettings(), settings) }))
    })
  }
  const environments = projects.find(({ name }) => name === project)?.environments ?? []
  return (
    <Dialog title="New key" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <div class="form-row">
          <TextField label="Project" value={project} onInput={setProject} list={`${listId}-projects`} required focus />
          <TextField
            label="Environment"
            value={environment}
            onInput={setEnvironment}
            list={`${listId}-environments`}
            required
          />
        </div>
        <Names id={`${listId}-projects`} names={projects.map(({ name }) => name)} />
        <Names id={`${listId}-environments`} names={environments.map(({ name }) => name)} />
        <SelectField
          label="Mode"
          value={mode}
          options={[
            ['test', 'Test: sample records, free'],
            ['live', 'Live: real lookups, spends credits'],
          ]}
          onChange={setMode}
        />
        <KeySettingsFields value={settings} onChange={setSettings} />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Make key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Names({ id, names }: { id: string; names: string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}
