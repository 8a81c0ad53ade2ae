import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Alerts, Balance } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { CheckField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'

export interface Where {
  project: string
  environment: string
}

interface Common {
  where: Where
  onDone: () => void
  onClose: () => void
}

/** The frame of a form that sends one change about an environment. */
function LimitForm({
  title,
  path,
  body,
  where,
  onDone,
  onClose,
  children,
}: Common & { title: string; path: string; body: object; children: ComponentChildren }) {
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (await action.run(() => api.post(path, { ...where, ...body }))) onDone()
  }
  return (
    <Dialog title={`${title} of ${where.project}/${where.environment}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {children}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const because = (reason: string) => (reason.trim() ? { reason: reason.trim() } : {})
const orNone = (text: string) => (text.trim() === '' ? null : Number(text))

/** Limits what all keys of an environment may spend together in a month. */
export function SetBudget({ balance, ...common }: Common & { balance: Pick<Balance, 'monthly_budget'> }) {
  const [monthly, setMonthly] = useState(String(balance.monthly_budget ?? ''))
  const [reason, setReason] = useState('')
  const body = { monthly: orNone(monthly), ...because(reason) }
  return (
    <LimitForm title="Budget" path="/credits/budgets" body={body} {...common}>
      <TextField
        label="Credits per month"
        type="number"
        min={0}
        value={monthly}
        onInput={setMonthly}
        hint="For all keys together, per UTC month. Empty: no budget."
        focus
      />
      <TextField label="Reason (optional)" value={reason} onInput={setReason} hint="Stays in the audit log." />
    </LimitForm>
  )
}

/** Grants an environment credits on the 1st of each month. */
export function SetRecurring({ balance, ...common }: Common & { balance: Balance }) {
  const [monthly, setMonthly] = useState(String(balance.recurring_credits ?? ''))
  const [carryOver, setCarryOver] = useState(balance.recurring_carry_over ?? false)
  const [reason, setReason] = useState('')
  const body = { monthly: orNone(monthly), carry_over: carryOver, ...because(reason) }
  return (
    <LimitForm title="Monthly credits" path="/credits/recurring" body={body} {...common}>
      <TextField
        label="Credits each month"
        type="number"
        min={0}
        value={monthly}
        onInput={setMonthly}
        hint="Granted on the 1st at 00:00 UTC, the first time on the next 1st. Empty: none."
        focus
      />
      <CheckField label="What is not spent stays for the next month" checked={carryOver} onChange={setCarryOver} />
      <TextField label="Reason (optional)" value={reason} onInput={setReason} hint="Stays in the ledger for good." />
    </LimitForm>
  )
}

/** Sets when an environment is notified of its spending. */
export function SetAlerts({ alerts, ...common }: Common & { alerts: Alerts }) {
  const [below, setBelow] = useState(String(alerts.credits_below))
  const [percent, setPercent] = useState(String(alerts.ceiling_percent))
  const body = { credits_below: orNone(below), ceiling_percent: orNone(percent) }
  return (
    <LimitForm title="Alerts" path="/alerts" body={body} {...common}>
      <TextField
        label="Notify below so many credits"
        type="number"
        min={1}
        value={below}
        onInput={setBelow}
        hint="The event credits.low. Empty: when none are left."
        focus
      />
      <TextField
        label="Notify at so many percent of a ceiling"
        type="number"
        min={1}
        value={percent}
        onInput={setPercent}
        hint="The event ceiling.near. Empty: 80."
      />
    </LimitForm>
  )
}
