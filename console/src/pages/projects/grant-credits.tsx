import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'

interface Props {
  project: string
  environment: string
  onDone: () => void
  onClose: () => void
}

/** Gives credits to an environment, or corrects its balance. */
export function GrantCredits({ project, environment, onDone, onClose }: Props) {
  const [kind, setKind] = useState<'grants' | 'adjustments'>('grants')
  const [amount, setAmount] = useState('1000')
  const [reason, setReason] = useState('')
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const body = { project, environment, amount: Number(amount), ...(reason.trim() ? { reason: reason.trim() } : {}) }
    if (await action.run(() => api.post(`/credits/${kind}`, body))) onDone()
  }
  return (
    <Dialog title={`Credits of ${project}/${environment}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <SelectField
          label="Entry"
          value={kind}
          options={[
            ['grants', 'Grant: add credits'],
            ['adjustments', 'Adjustment: correct by a signed amount'],
          ]}
          onChange={setKind}
        />
        <TextField label="Amount" type="number" value={amount} onInput={setAmount} required focus />
        <TextField label="Reason (optional)" value={reason} onInput={setReason} hint="Stays in the ledger for good." />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            {kind === 'grants' ? 'Grant credits' : 'Adjust balance'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
