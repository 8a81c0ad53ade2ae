import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'

/** Makes a project with the environments it starts with. */
export function CreateProject({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState('')
  const [environments, setEnvironments] = useState('production, staging')
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = {
      name: name.trim(),
      environments: environments
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    }
    if (await action.run(() => api.post('/projects', body))) onDone()
  }
  return (
    <Dialog title="New project" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="Name" value={name} onInput={setName} placeholder="acme" required focus />
        <TextField
          label="Environments"
          value={environments}
          onInput={setEnvironments}
          hint="Separated by commas. Each one has credits of its own."
        />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Make project
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
