import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { because, FormDialog, ReasonField } from '../../elements/dialogs/form-dialog.tsx'
import { SelectField, TextField } from '../../elements/field.tsx'
import { formatCredits } from '../../format.ts'
import { hrefTo } from '../../router.ts'

interface Props {
  project: string
  environment: string
  onDone: () => void
  onClose: () => void
}

/** Grants credits to an environment, or corrects its balance. */
export function GrantCredits({ project, environment, ...rest }: Props) {
  const [kind, setKind] = useState<'grants' | 'adjustments'>('grants')
  const [amount, setAmount] = useState('1000')
  const [reason, setReason] = useState('')
  const body = { project, environment, amount: Number(amount), ...because(reason) }
  const place = { project, environment }
  const isAdded = body.amount > 0
  const done = () => ({
    text: `${formatCredits(Math.abs(body.amount))} ${isAdded ? 'added to' : 'taken from'} ${project}/${environment}.`,
    undo: () =>
      api.post('/credits/adjustments', { ...place, amount: -body.amount, reason: 'Undo of an action in the console' }),
    link: { text: 'Ledger', href: hrefTo(['projects', 'in', project, environment], { only: 'grants' }) },
  })
  return (
    <FormDialog
      title={`Credits of ${project}/${environment}`}
      verb={kind === 'grants' ? 'Grant credits' : 'Adjust balance'}
      send={() => api.post(`/credits/${kind}`, body)}
      done={done}
      {...rest}
    >
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
      <ReasonField value={reason} onInput={setReason} kept="in the ledger for good" />
    </FormDialog>
  )
}
