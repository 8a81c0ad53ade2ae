import { sql } from 'kysely'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { utcMonth } from '../../foundation/clock.ts'

/** The pause reason of watches whose environment has reached their monthly limit. */
export const budgetSpent = 'max_credits_per_month'

export interface WatchBudget {
  max_credits_per_month: number | null
  spent_this_month: number
}

/** Limits what the watches of an environment may spend in a UTC month; null = no limit. */
export async function setWatchBudget(
  tx: Tx,
  { environmentId, maxCredits, at }: { environmentId: number; maxCredits: number | null; at: number },
): Promise<void> {
  await openMonth(tx, environmentId, at)
  await tx
    .updateTable('watch_budgets')
    .set({ max_credits: maxCredits })
    .where('account_id', '=', environmentId)
    .execute()
  await tx
    .updateTable('watches')
    .set({ paused: null })
    .where('account_id', '=', environmentId)
    .where('paused', '=', budgetSpent)
    .execute()
}

/** Reserves the maximum cost of a refresh; false if the month's limit has no room for it. */
export async function reserveCredits(tx: Tx, environmentId: number, amount: number, at: number): Promise<boolean> {
  const { max_credits: max, spent } = await openMonth(tx, environmentId, at)
  if (max !== null && spent + amount > max) return false
  await addSpent(tx, environmentId, amount)
  return true
}

/** Replaces the reserved amount of a refresh by its actual cost. */
export async function addSpent(tx: Tx, environmentId: number, amount: number): Promise<void> {
  if (amount === 0) return
  await tx
    .updateTable('watch_budgets')
    .set({ spent: sql<number>`case when spent + ${amount} < 0 then 0 else spent + ${amount} end` })
    .where('account_id', '=', environmentId)
    .execute()
}

/** The environment's row for the current month, locked until the transaction ends. */
async function openMonth(tx: Tx, environmentId: number, at: number) {
  const month = utcMonth(at)
  return tx
    .insertInto('watch_budgets')
    .values({ account_id: environmentId, max_credits: null, month, spent: 0 })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        month,
        spent: sql<number>`case when watch_budgets.month = ${month} then watch_budgets.spent else 0 end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The monthly limit of an environment's watches, and what they have spent this month. */
export async function watchBudget(
  { db }: Connection,
  args: { environmentId: number; at: number },
): Promise<WatchBudget> {
  const row = await db
    .selectFrom('watch_budgets')
    .selectAll()
    .where('account_id', '=', args.environmentId)
    .executeTakeFirst()
  const isCurrent = row?.month === utcMonth(args.at)
  return { max_credits_per_month: row?.max_credits ?? null, spent_this_month: isCurrent ? row.spent : 0 }
}

/** A new month has begun: watches that had reached their limit resume. */
export async function resumeBudgets({ db }: Connection, { at }: { at: number }): Promise<void> {
  await db
    .updateTable('watches')
    .set({ paused: null })
    .where('paused', '=', budgetSpent)
    .where('account_id', 'in', (eb) =>
      eb.selectFrom('watch_budgets').select('account_id').where('month', '<>', utcMonth(at)),
    )
    .execute()
}
