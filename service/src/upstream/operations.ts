import { appendAudit } from '../foundation/audit.ts'
import type { Database, Tx } from '../foundation/database/dialect.ts'
import type { Operations } from '../foundation/database/store.ts'
import { recentCalls } from './recent-calls.ts'

/** Whether one more call may be made. */
export type Spending = 'ok' | 'spent' | 'paused'

/** Counts one call of a provider in a month, unless it is paused or the limit is reached. Exact with many nodes at once. */
async function spendBudget(
  { db }: Database,
  args: { provider: string; month: string; limit: number | null },
): Promise<Spending> {
  return db.transaction().execute(async (tx) => {
    if (await isPaused(tx, args.provider)) return 'paused'
    return (await countCall(tx, args)) ? 'ok' : 'spent'
  })
}

async function isPaused(tx: Tx, provider: string): Promise<boolean> {
  const state = await tx
    .selectFrom('provider_states')
    .select('paused')
    .where('provider', '=', provider)
    .executeTakeFirst()
  return state?.paused === 1
}

/** One statement checks and counts, so two nodes cannot both take the last call. */
async function countCall(
  tx: Tx,
  { provider, month, limit }: { provider: string; month: string; limit: number | null },
): Promise<boolean> {
  if (limit !== null && limit < 1) return false
  const counted = await tx
    .insertInto('provider_months')
    .values({ provider, month, calls: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'month'])
        .doUpdateSet((eb) => ({ calls: eb('provider_months.calls', '+', 1) }))
        .where('provider_months.calls', '<', limit ?? Number.MAX_SAFE_INTEGER),
    )
    .returning('calls')
    .executeTakeFirst()
  return counted !== undefined
}

/** How many calls each provider has had in a month. */
async function budgetStates(
  { db }: Database,
  { month }: { month: string },
): Promise<{ provider: string; calls: number }[]> {
  return db
    .selectFrom('provider_months')
    .select(['provider', 'calls'])
    .where('month', '=', month)
    .orderBy('provider')
    .execute()
}

/** Stops or resumes a provider; while it is paused every ask counts as an outage. */
async function setProviderPaused(
  { db, dialect }: Database,
  args: { provider: string; paused: boolean; actor: string; at: number; reason?: string | null },
): Promise<void> {
  const { provider, actor, at } = args
  const paused = args.paused ? 1 : 0
  await db.transaction().execute(async (tx) => {
    const before = await isPaused(tx, provider)
    await tx
      .insertInto('provider_states')
      .values({ provider, paused, changed_at: at })
      .onConflict((conflict) => conflict.column('provider').doUpdateSet({ paused, changed_at: at }))
      .execute()
    await appendAudit(tx, dialect, {
      at,
      actor,
      action: args.paused ? 'provider.pause' : 'provider.resume',
      subject: provider,
      reason: args.reason ?? null,
      before: { paused: before },
      after: { paused: args.paused },
    })
  })
}

/** The providers that were ever paused, and whether they are now. */
async function providerStates(
  { db }: Database,
  _args: null,
): Promise<{ provider: string; paused: boolean; changedAt: number }[]> {
  const rows = await db.selectFrom('provider_states').selectAll().orderBy('provider').execute()
  return rows.map((row) => ({ provider: row.provider, paused: row.paused === 1, changedAt: row.changed_at }))
}

export const upstreamOperations = {
  spendBudget,
  budgetStates,
  setProviderPaused,
  providerStates,
  recentCalls,
} satisfies Operations
export type UpstreamOperations = typeof upstreamOperations
