import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/dialect.ts'
import { usualAlerts } from './decision/ledger-snapshot.ts'
import { findEnvironment, type EnvironmentName } from './reports/credit-balance.ts'

/** When an environment is notified of its spending. */
export interface Alerts {
  /** `credits.low` is sent when the balance falls below it. */
  credits_below: number
  /** `ceiling.near` is sent when so much of a key's ceiling is spent. */
  ceiling_percent: number
}

export interface SetAlerts extends EnvironmentName {
  /** Absent = as it is; null = the default. */
  creditsBelow?: number | null
  ceilingPercent?: number | null
  actor: string
  at: number
}

/** When an environment is notified of its spending, defaults included. */
export async function readAlerts({ db }: Connection, name: EnvironmentName): Promise<Alerts> {
  return alertsOf(await findEnvironment(db, name))
}

/** Changes it. What is set counts from now on, also where the same was notified before. */
export async function setAlerts({ db: tx, dialect }: Connection, args: SetAlerts): Promise<Alerts> {
  const { project, environment, creditsBelow, ceilingPercent, actor, at } = args
  const row = await findEnvironment(tx, args, dialect)
  const next = {
    ...(creditsBelow === undefined ? {} : { alert_credits_below: creditsBelow, low_told: 0 }),
    ...(ceilingPercent === undefined ? {} : { alert_ceiling_percent: ceilingPercent }),
  }
  const [before, after] = [alertsOf(row), alertsOf({ ...row, ...next })]
  if (Object.keys(next).length > 0) await tx.updateTable('environments').set(next).where('id', '=', row.id).execute()
  if (ceilingPercent !== undefined) await forgetNear(tx, row.id)
  const subject = `${project}/${environment}`
  await appendAudit(tx, dialect, { at, actor, action: 'alerts.set', subject, before, after })
  return after
}

async function forgetNear(tx: Tx, environmentId: number): Promise<void> {
  await tx
    .updateTable('spend_periods')
    .set({ near_notified: null })
    .where('spend_id', 'in', (query) =>
      query.selectFrom('keys').select('spend_id').where('environment_id', '=', environmentId),
    )
    .execute()
}

function alertsOf(row: { alert_credits_below: number | null; alert_ceiling_percent: number | null }): Alerts {
  return {
    credits_below: row.alert_credits_below ?? usualAlerts.lowBelow,
    ceiling_percent: row.alert_ceiling_percent ?? usualAlerts.nearPercent,
  }
}
