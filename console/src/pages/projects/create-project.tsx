import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { FormDialog } from '../../elements/dialogs/form-dialog.tsx'
import { TextField } from '../../elements/field.tsx'
import { hrefTo } from '../../router.ts'

/** Creates a project with its first environments. */
export function CreateProject(rest: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [environments, setEnvironments] = useState('production, staging')
  const body = { name: name.trim(), environments: environments.split(',').flatMap((part) => part.trim() || []) }
  const done = () => ({
    text: `Project ${body.name} is made.`,
    undo: () => api.delete('/projects/:project', { project: body.name }),
    link: { text: 'Show', href: hrefTo(['projects'], { text: body.name }) },
  })
  return (
    <FormDialog title="New project" verb="Make project" send={() => api.post('/projects', body)} done={done} {...rest}>
      <TextField label="Name" value={name} onInput={setName} placeholder="acme" required focus />
      <TextField
        label="Environments"
        value={environments}
        onInput={setEnvironments}
        hint="Separated by commas. Each one has credits of its own."
      />
    </FormDialog>
  )
}
