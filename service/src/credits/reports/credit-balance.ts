import type { Connection, Tx } from '../../database/dialect.ts'
import { utcMonth } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import { environmentSpendId } from '../decision/ledger-snapshot.ts'

export interface EnvironmentName {
  project: string
  environment: string
}

export interface CreditBalance {
  /** Granted minus captured. */
  balance: number
  held: number
  /** The credits that a call may still spend: balance minus held. */
  available: number
  /** With a budget: the monthly limit of the environment's keys, and what they have captured and held this month. */
  monthly_budget?: number
  spent_this_month?: number
  /** With a recurring grant: its amount, and whether unspent credits carry over. */
  recurring_credits?: number
  recurring_carry_over?: boolean
}

interface BalanceRow {
  id: number
  balance: number
  held: number
  monthly_budget: number | null
  alert_credits_below: number | null
  alert_ceiling_percent: number | null
  low_told: number
  recurring_credits: number | null
  recurring_carries: number
}

/** The row of an environment, or `not_found`. With `lock` no settlement changes it until the transaction ends. */
export async function findEnvironment(
  tx: Tx,
  { project, environment }: EnvironmentName,
  lock?: Connection['dialect'],
): Promise<BalanceRow> {
  const row = await tx
    .selectFrom('environments')
    .select(['id', 'balance', 'held', 'monthly_budget'])
    .select(['alert_credits_below', 'alert_ceiling_percent', 'low_told', 'recurring_credits', 'recurring_carries'])
    .where('project', '=', project)
    .where('name', '=', environment)
    .$if(lock === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (row) return row
  const detail = `No environment ${project}/${environment}. Creating its first key creates it.`
  throw new Failure('not_found', { detail })
}

/** The credit figures of an environment, including its budget if it has one. */
export async function readBalance(tx: Tx, environment: BalanceRow, at: number): Promise<CreditBalance> {
  const { id, balance, held, monthly_budget, recurring_credits, recurring_carries } = environment
  const recurring =
    recurring_credits === null ? {} : { recurring_credits, recurring_carry_over: recurring_carries === 1 }
  const figures = { balance, held, available: balance - held, ...recurring }
  if (monthly_budget === null) return figures
  const month = await tx
    .selectFrom('spend_periods')
    .select(['captured', 'held'])
    .where('spend_id', '=', environmentSpendId(id))
    .where('period', '=', utcMonth(at))
    .executeTakeFirst()
  return { ...figures, monthly_budget, spent_this_month: (month?.captured ?? 0) + (month?.held ?? 0) }
}
