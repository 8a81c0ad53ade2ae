import type { Kind } from '@vitae/contract'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { IdsField, SelectField, TextField } from '../../elements/field.tsx'
import { PlaceFields } from '../../elements/place-fields.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { confirmDone } from '../../elements/toast.tsx'
import { hrefTo } from '../../router.ts'

type AddedWatches = AdminAnswer<'addWatches'>

const kinds = [
  ['people', 'People'],
  ['companies', 'Companies'],
] as const

/** Adds watches in two steps: the form first shows their cost, then adds them. */
export function AddWatches({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [kind, setKind] = useState<Kind>('people')
  const [text, setText] = useState('')
  const [{ project, environment }, setPlace] = useState({ project: useSession().project ?? '', environment: '' })
  const [days, setDays] = useState('7')
  const [most, setMost] = useState('')
  const [plan, setPlan] = useState<AddedWatches | null>(null)
  const action = useAction()
  const ids = text.split(/\s+/).filter(Boolean)
  const change = (set: (value: string) => void) => (value: string) => {
    setPlan(null)
    set(value)
  }
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const watches = ids.map((id) => ({ kind, id, every_days: Number(days) }))
    const limit = most === '' ? {} : { max_credits_per_month: Number(most) }
    const body = { project, environment, watches, ...limit }
    const send = async () => {
      const answer = await api.post('/watches', { ...body, dry_run: plan === null })
      if (plan === null) return setPlan(answer)
      onDone()
      onClose()
      confirmDone({
        text: `${watches.length === 1 ? 'One record is' : `${watches.length} records are`} watched.`,
        link: { text: 'Show', href: hrefTo(['watches'], { project, environment }) },
      })
    }
    await action.run(send)
  }
  return (
    <Dialog title="Watch" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <PlaceFields
          project={project}
          environment={environment}
          onChange={(place) => {
            setPlan(null)
            setPlace(place)
          }}
        />
        <SelectField
          label="Kind"
          value={kind}
          options={kinds}
          onChange={(next) => {
            setPlan(null)
            setKind(next)
          }}
        />
        <IdsField value={text} onInput={change(setText)} />
        <TextField label="Days between refreshes" type="number" min={1} value={days} onInput={change(setDays)} />
        <TextField
          label="Maximum credits per month (optional)"
          type="number"
          min={0}
          value={most}
          onInput={change(setMost)}
          hint="For all watches of the environment. Empty: the current limit stays."
        />
        {plan ? <Cost plan={plan} count={ids.length} /> : null}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={action.busy}
            disabled={ids.length === 0 || project === '' || environment === ''}
          >
            {plan ? 'Watch' : 'Show the cost'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Cost({ plan, count }: { plan: AddedWatches; count: number }) {
  const limit = plan.max_credits_per_month
  return (
    <p role="status">
      {count - plan.errors.length} of {count} can be watched: at most <strong>{plan.credits_at_once}</strong> credits at
      once and <strong>{plan.credits_per_month}</strong> in 30 days, paid by {plan.key_id}.{' '}
      {limit === null
        ? 'There is no limit per month yet.'
        : `The limit per month is ${limit}, ${plan.spent_this_month} are spent.`}
    </p>
  )
}
