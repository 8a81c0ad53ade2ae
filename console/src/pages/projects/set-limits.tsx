import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Alerts, Balance } from '@vitae/contract/admin'
import { because, FormDialog, ReasonField } from '../../elements/dialogs/form-dialog.tsx'
import { CheckField, TextField } from '../../elements/field.tsx'
import { hrefTo } from '../../router.ts'

export interface Where {
  project: string
  environment: string
}

interface Common {
  where: Where
  onDone: () => void
  onClose: () => void
}

/** The title, the request and its undoing, which the forms in this file share: `before` holds what was set until now. */
function frame<Body>(
  name: string,
  send: (body: Body & Where) => Promise<unknown>,
  [body, before]: [body: Body, before: Body],
  { where, ...rest }: Common,
) {
  const title = `${name} of ${where.project}/${where.environment}`
  const done = () => ({
    text: `${title}: saved.`,
    undo: () => send({ ...where, ...before }),
    link: { text: 'Show', href: hrefTo(['projects', 'in', where.project, where.environment]) },
  })
  return { title, send: () => send({ ...where, ...body }), done, ...rest }
}

const orNone = (text: string) => (text.trim() === '' ? null : Number(text))

interface AmountProps {
  label: string
  value: string
  onInput: (value: string) => void
  hint: string
  min?: number
  focus?: boolean
}

function AmountField({ min = 0, ...rest }: AmountProps) {
  return <TextField type="number" min={min} {...rest} />
}

/** Sets the monthly budget that all keys of an environment share. */
export function SetBudget({ balance, ...common }: Common & { balance: Pick<Balance, 'monthly_budget'> }) {
  const [monthly, setMonthly] = useState(String(balance.monthly_budget ?? ''))
  const [reason, setReason] = useState('')
  const body = { monthly: orNone(monthly), ...because(reason) }
  const before = { monthly: balance.monthly_budget ?? null }
  const hint = 'For all keys together, per UTC month. Empty: no budget.'
  return (
    <FormDialog {...frame('Budget', (all) => api.post('/credits/budgets', all), [body, before], common)}>
      <AmountField label="Credits per month" value={monthly} onInput={setMonthly} hint={hint} focus />
      <ReasonField value={reason} onInput={setReason} />
    </FormDialog>
  )
}

/** Grants an environment credits on the 1st of each month. */
export function SetRecurring({ balance, ...common }: Common & { balance: Balance }) {
  const [monthly, setMonthly] = useState(String(balance.recurring_credits ?? ''))
  const [carryOver, setCarryOver] = useState(balance.recurring_carry_over ?? false)
  const [reason, setReason] = useState('')
  const body = { monthly: orNone(monthly), carry_over: carryOver, ...because(reason) }
  const before = { monthly: balance.recurring_credits ?? null, carry_over: balance.recurring_carry_over ?? false }
  const hint = 'Granted on the 1st at 00:00 UTC, the first time on the next 1st. Empty: none.'
  return (
    <FormDialog {...frame('Monthly credits', (all) => api.post('/credits/recurring', all), [body, before], common)}>
      <AmountField label="Credits each month" value={monthly} onInput={setMonthly} hint={hint} focus />
      <CheckField label="What is not spent stays for the next month" checked={carryOver} onChange={setCarryOver} />
      <ReasonField value={reason} onInput={setReason} kept="in the ledger for good" />
    </FormDialog>
  )
}

/** Sets the thresholds at which an environment is notified of its spending. */
export function SetAlerts({ alerts, ...common }: Common & { alerts: Alerts }) {
  const [below, setBelow] = useState(String(alerts.credits_below))
  const [percent, setPercent] = useState(String(alerts.ceiling_percent))
  const body = { credits_below: orNone(below), ceiling_percent: orNone(percent) }
  const before = { credits_below: alerts.credits_below, ceiling_percent: alerts.ceiling_percent }
  return (
    <FormDialog {...frame('Alerts', (all) => api.post('/alerts', all), [body, before], common)}>
      <AmountField
        label="Notify below this balance (credits)"
        min={1}
        value={below}
        onInput={setBelow}
        hint="The event credits.low. Empty: when none are left."
        focus
      />
      <AmountField
        label="Notify at this share of a ceiling (percent)"
        min={1}
        value={percent}
        onInput={setPercent}
        hint="The event ceiling.near. Empty: 80."
      />
    </FormDialog>
  )
}
