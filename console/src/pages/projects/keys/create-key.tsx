import { useState } from 'preact/hooks'
import { api } from '../../../api.ts'
import type { NewKey, Project } from '@vitae/contract/admin'
import { Button } from '../../../elements/button.tsx'
import { Dialog } from '../../../elements/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../../elements/field.tsx'
import { ErrorNotice } from '../../../elements/notice.tsx'
import { Loaded } from '../../../elements/states.tsx'
import { useCan, useSession } from '../../../session.tsx'
import { useAction } from '../../../use-action.ts'
import { useQuery } from '../../../use-query.ts'
import { changedSettings, KeySettingsFields, readSettings } from './key-settings.tsx'

interface Props {
  onMade: (key: NewKey) => void
  onClose: () => void
}

/** The value of "A new project…" and "A new environment…" in the lists. No real name starts with a space. */
const another = ' another'

/** Creates a key in an existing project, or in a new one if the user explicitly chooses that. */
export function CreateKey({ onMade, onClose }: Props) {
  const projects = useQuery('all projects', (signal) => api.get('/projects', {}, signal))
  return (
    <Dialog title="New key" onClose={onClose}>
      <Loaded query={projects}>{(data) => <KeyForm {...data} onMade={onMade} onClose={onClose} />}</Loaded>
    </Dialog>
  )
}

function KeyForm({ projects, onMade, onClose }: Props & { projects: Project[] }) {
  const mayMakeProject = useCan('createProject') && useSession().project === null
  const [project, setProject] = useState(projects[0]?.name ?? another)
  const [newProject, setNewProject] = useState('')
  const names = projects.find(({ name }) => name === project)?.environments.map(({ name }) => name) ?? []
  const [chosen, setEnvironment] = useState('')
  const environment = names.includes(chosen) || chosen === another ? chosen : (names[0] ?? another)
  const [newEnvironment, setNewEnvironment] = useState('production')
  const [mode, setMode] = useState<'test' | 'live'>('test')
  const [settings, setSettings] = useState(() => readSettings())
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const place = {
      project: project === another ? newProject.trim() : project,
      environment: environment === another ? newEnvironment.trim() : environment,
    }
    const body = { ...place, mode, ...changedSettings(readSettings(), settings) }
    await action.run(async () => onMade(await api.post('/keys', body)))
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <div class="form-row">
        <SelectField
          label="Project"
          value={project}
          options={[
            ...projects.map(({ name }) => [name, name] as const),
            ...(mayMakeProject ? [[another, 'A new project…'] as const] : []),
          ]}
          onChange={setProject}
        />
        <SelectField
          label="Environment"
          value={environment}
          options={[...names.map((name) => [name, name] as const), [another, 'A new environment…'] as const]}
          onChange={setEnvironment}
        />
      </div>
      <div class="form-row">
        {project === another ? (
          <TextField label="Name of the new project" value={newProject} onInput={setNewProject} required />
        ) : null}
        {environment === another ? (
          <TextField label="Name of the new environment" value={newEnvironment} onInput={setNewEnvironment} required />
        ) : null}
      </div>
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
  )
}
