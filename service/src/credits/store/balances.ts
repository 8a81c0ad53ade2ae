import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { environmentSpendId, spendDate } from '../decision/ledger-snapshot.ts'
import { lowestCeiling } from '../decision/spending-rules.ts'
import type { RemainingCredits } from '../decision/settlement-requests.ts'
import { utcMonth } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'

/** The balance of an environment: owned, held and available credits. */
export async function creditBalance(
  { db }: Connection,
  args: EnvironmentName & { at: number },
): Promise<CreditBalance> {
  return readBalance(db, await findEnvironment(db, args), args.at)
}

/** A limit for a period, and what is captured and held of it. */
export interface PeriodSpend {
  limit: number
  spent: number
}

/** The credits and limits of a key and its environment, read at one time. */
export interface KeySpending {
  balance: number
  held: number
  /** Null if there is no such limit. */
  daily: PeriodSpend | null
  monthly: PeriodSpend | null
  /** The monthly budget of all keys of the environment together. */
  budget: PeriodSpend | null
}

type KeyName = { environmentId: number; keyId: string; at: number }

/** Uses one statement, so that no settlement falls between two of the figures. */
export async function keySpending(
  { db }: Connection,
  { environmentId, keyId, at }: KeyName,
): Promise<KeySpending | null> {
  const { month, day } = spendDate(at)
  const row = await db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .leftJoin('spend_periods as month', (join) =>
      join.onRef('month.spend_id', '=', 'keys.spend_id').on('month.period', '=', month),
    )
    .leftJoin('spend_periods as day', (join) =>
      join.onRef('day.spend_id', '=', 'keys.spend_id').on('day.period', '=', day),
    )
    .leftJoin('spend_periods as budget', (join) =>
      join.on('budget.spend_id', '=', environmentSpendId(environmentId)).on('budget.period', '=', month),
    )
    .select(['environments.balance', 'environments.held', 'keys.ceiling', 'keys.daily_ceiling'])
    .select(['environments.monthly_budget', 'budget.captured as budgetCaptured', 'budget.held as budgetHeld'])
    .select(['month.captured as monthCaptured', 'month.held as monthHeld'])
    .select(['day.captured as dayCaptured', 'day.held as dayHeld'])
    .where('keys.id', '=', keyId)
    .where('environments.id', '=', environmentId)
    .executeTakeFirst()
  if (!row) return null
  return {
    balance: row.balance,
    held: row.held,
    daily: periodSpend(row.daily_ceiling, row.dayCaptured, row.dayHeld),
    monthly: periodSpend(row.ceiling, row.monthCaptured, row.monthHeld),
    budget: periodSpend(row.monthly_budget, row.budgetCaptured, row.budgetHeld),
  }
}

function periodSpend(limit: number | null, captured: number | null, held: number | null): PeriodSpend | null {
  return limit === null ? null : { limit, spent: (captured ?? 0) + (held ?? 0) }
}

/** The caller's remaining credits: the header figures for answers that settle nothing. */
export async function remainingCredits(database: Connection, key: KeyName): Promise<RemainingCredits> {
  const spending = await keySpending(database, key)
  if (!spending) return { available: 0, ceilingRemaining: null, ceilingResetsAt: null }
  const { balance, held, daily, monthly } = spending
  return { available: balance - held, ...lowestCeiling(left(monthly), left(daily), key.at) }
}

function left(period: PeriodSpend | null): number {
  return period ? period.limit - period.spent : Infinity
}

/** When an environment last paid for a record; null if never, or if repeats are not free. */
export async function paidAt(
  { db }: Connection,
  { environmentId, entityId }: { environmentId: number; entityId: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('paid_records')
    .select('paid_at')
    .where('account_id', '=', environmentId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst()
  return row?.paid_at ?? null
}

interface CreditGauges {
  /** Ordered by available credits, lowest first. */
  environments: { id: number; available: number }[]
  holds: number
}

/** The available credits of environments and the number of open holds, for the metrics. */
export async function creditGauges({ db }: Connection, { limit }: { limit: number }): Promise<CreditGauges> {
  const rows = await db
    .selectFrom('environments')
    .select((eb) => ['id', eb('balance', '-', eb.ref('held')).as('available')])
    .orderBy('available')
    .limit(limit)
    .execute()
  const { holds } = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('holds'))
    .executeTakeFirstOrThrow()
  return { environments: rows, holds: Number(holds) }
}

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
  const query = tx
    .selectFrom('environments')
    .select(['id', 'balance', 'held', 'monthly_budget'])
    .select(['alert_credits_below', 'alert_ceiling_percent', 'low_told', 'recurring_credits', 'recurring_carries'])
    .where('project', '=', project)
    .where('name', '=', environment)
  const row = await (lock ? lock.lock(query) : query).executeTakeFirst()
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
