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
  /** What a call may still spend: balance minus held. */
  available: number
  /** Where there is a budget: what the environment's keys may spend in a UTC month, and what they have captured and held in this one. */
  monthly_budget?: number
  spent_this_month?: number
  /** Where credits are granted each month: how many, and whether what is not spent stays. */
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

/** The environment of an environment, or `not_found`. With `lock` no other settlement moves it until the transaction ends. */
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
  const detail = `No environment ${project}/${environment}; it is made with its first key.`
  throw new Failure('not_found', { detail })
}

/** The figures of an environment, and where it has a budget what is spent of it. */
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
