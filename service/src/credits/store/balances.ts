import type { Connection } from '../../database/dialect.ts'
import { findEnvironment, readBalance, type EnvironmentName, type CreditBalance } from '../reports/credit-balance.ts'
import { environmentSpendId, spendDate } from '../decision/ledger-snapshot.ts'
import { lowestCeiling } from '../decision/spending-rules.ts'
import type { RemainingCredits } from '../settlement-requests.ts'

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
  environments: { id: number; project: string; name: string; available: number }[]
  holds: number
}

/** The available credits of environments and the number of open holds, for the metrics. */
export async function creditGauges({ db }: Connection, { limit }: { limit: number }): Promise<CreditGauges> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'project', 'name', 'balance', 'held'])
    .orderBy((eb) => eb('balance', '-', eb.ref('held')))
    .limit(limit)
    .execute()
  const { holds } = await db
    .selectFrom('holds')
    .select((eb) => eb.fn.countAll<number>().as('holds'))
    .executeTakeFirstOrThrow()
  return {
    environments: rows.map(({ id, project, name, balance, held }) => ({
      id,
      project,
      name,
      available: balance - held,
    })),
    holds: Number(holds),
  }
}
