import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { ProjectField } from '../../elements/place-fields.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'

type NewToken = AdminAnswer<'createToken'>

const roles = [
  ['viewer', 'Viewer: reads everything, changes nothing'],
  ['operator', 'Operator: runs projects, keys, records, providers'],
  ['billing', 'Billing: grants credits, sets budgets'],
  ['owner', 'Owner: everything'],
] as const

/** Creates an admin token with one role, for all projects or one project. */
export function CreateToken({ onMade, onClose }: { onMade: (token: NewToken) => void; onClose: () => void }) {
  const [label, setLabel] = useState('')
  const [role, setRole] = useState<(typeof roles)[number][0]>('viewer')
  const [project, setProject] = useState('')
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { role, label: label.trim() || null, project: project.trim() || null }
    await action.run(async () => onMade(await api.post('/tokens', body)))
  }
  return (
    <Dialog title="New admin token" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="Label" value={label} onInput={setLabel} hint="Who or what uses it." required focus />
        <SelectField label="Role" value={role} options={roles} onChange={setRole} />
        <ProjectField label="For" value={project} onChange={setProject} none="The whole service" />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Make token
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
