import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Alerts, Balance } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { formatCredits, formatNumber } from '../../format.ts'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'
import { SetAlerts, SetBudget, SetRecurring, type Where } from './set-limits.tsx'

type Open = 'budget' | 'recurring' | 'alerts' | null

/** The monthly budget, monthly credits and alert thresholds of an environment, each with its form. */
export function SpendingLimits({ where, balance, onChange }: { where: Where; balance: Balance; onChange: () => void }) {
  const mayBill = useCan('setBudget')
  const mayAlert = useCan('setAlerts')
  const [open, setOpen] = useState<Open>(null)
  const alerts = useQuery(`alerts ${where.project}/${where.environment}`, (signal) =>
    api.get('/alerts', { ...where }, signal),
  )
  const close = () => setOpen(null)
  const done = () => {
    close()
    onChange()
    alerts.reload()
  }
  const change = (what: Open, may: boolean, label: string) =>
    may ? (
      <Button small label={label} onClick={() => setOpen(what)}>
        Change
      </Button>
    ) : null
  const forms = { where, onDone: done, onClose: close }
  return (
    <Panel title="Budget, monthly credits and alerts">
      <dl class="facts panel-body limits">
        <dt>Monthly budget</dt>
        <dd>
          <span>{budgetText(balance)}</span> {change('budget', mayBill, 'Change the budget')}
        </dd>
        <dt>Credits each month</dt>
        <dd>
          <span>{recurringText(balance)}</span> {change('recurring', mayBill, 'Change the monthly credits')}
        </dd>
        <dt>Alerts</dt>
        <dd>
          <Loaded query={alerts}>{(set) => <span>{alertText(set)}</span>}</Loaded>{' '}
          {alerts.data ? change('alerts', mayAlert, 'Change the alerts') : null}
        </dd>
      </dl>
      {open === 'budget' ? <SetBudget {...forms} balance={balance} /> : null}
      {open === 'recurring' ? <SetRecurring {...forms} balance={balance} /> : null}
      {open === 'alerts' && alerts.data ? <SetAlerts {...forms} alerts={alerts.data} /> : null}
    </Panel>
  )
}

function budgetText({ monthly_budget: budget, spent_this_month: spent = 0 }: Balance): string {
  if (budget === undefined) return 'none: its keys may spend all that is available.'
  return `${formatCredits(budget)} for all its keys together; ${formatNumber(spent)} are spent or held this month. The budget renews on the 1st.`
}

function recurringText({ recurring_credits: credits, recurring_carry_over: carried = false }: Balance): string {
  if (credits === undefined) return 'none: credits are granted by hand.'
  return `${formatCredits(credits)} on the 1st of each month; what is not spent ${carried ? 'stays' : 'ends with the month'}.`
}

function alertText({ credits_below: below, ceiling_percent: percent }: Alerts): string {
  const low = below <= 1 ? 'when no credits are left' : `below ${formatCredits(below)}`
  return `${low}, and when ${percent} % of a key’s ceiling is spent.`
}
