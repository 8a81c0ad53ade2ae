import { sql, type OnConflictBuilder } from 'kysely'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { clocksDifferMs, dayMs } from '../../foundation/clock.ts'
import type { Tables } from '../../database/tables/tables.ts'
import { environmentSpendId, spendDate, usualAlerts } from '../decision/ledger-snapshot.ts'
import { isLateMessage, noteEntered } from './known-time.ts'
import { findEnvironment, readBalance, type EnvironmentName, type CreditBalance } from '../store/balances.ts'
import { placedAt } from '../store/verify-ledger.ts'

export interface BudgetArgs extends EnvironmentName {
  /** Credits per UTC month; null = no budget. */
  monthly: number | null
  reason?: string | null
  actor: string
  at: number
}

/**
 * Limits what all keys of an environment may spend together in a month. Credits already spent or held this month count.
 */
export async function setBudget({ db: tx, dialect }: Connection, args: BudgetArgs): Promise<CreditBalance> {
  const { project, environment, monthly, actor, at, reason = null } = args
  const row = await findEnvironment(tx, args, dialect)
  const before = await readBalance(tx, row, at)
  await tx.updateTable('environments').set({ monthly_budget: monthly }).where('id', '=', row.id).execute()
  await countMonths(tx, row.id, monthly !== null)
  const after = await readBalance(tx, { ...row, monthly_budget: monthly }, at)
  const subject = `${project}/${environment}`
  await appendAudit(tx, dialect, { at, actor, action: 'credits.budget', subject, reason, before, after })
  return after
}

/**
 * An environment's months are counted only while it has a budget. They start as the sums of its keys' months. Changing
 * a budget keeps the record of sent alerts.
 */
async function countMonths(tx: Tx, environmentId: number, hasBudget: boolean): Promise<void> {
  const spendId = environmentSpendId(environmentId)
  if (!hasBudget) return void (await tx.deleteFrom('spend_periods').where('spend_id', '=', spendId).execute())
  await sql`
    insert into spend_periods (spend_id, period, captured, held)
    select ${sql.lit(spendId)}, period, sum(captured), sum(held) from spend_periods
    where spend_id in (select spend_id from keys where environment_id = ${environmentId}) and length(period) = 7
    group by period
    on conflict (spend_id, period) do update set captured = excluded.captured, held = excluded.held`.execute(tx)
}

/**
 * Starts to count the spending of a key and its rotation chain by day, including what the current day already spent and
 * holds. A chain without a daily ceiling has no day counts.
 */
export async function countDays(
  { db: tx, dialect }: Connection,
  { keyId, at }: { keyId: string; at: number },
): Promise<void> {
  const key = await tx.selectFrom('keys').selectAll().where('id', '=', keyId).executeTakeFirst()
  const { day, dayStartsAt } = spendDate(at)
  if (!key || (key.days_from !== null && key.days_from <= dayStartsAt)) return
  const { spend_id: spendId, environment_id: environmentId } = key
  // The lock ensures that no settlement of the environment runs concurrently.
  const environment = tx.selectFrom('environments').select('id').where('id', '=', environmentId)
  await environment.$call((query) => dialect.lock(query)).execute()
  const begun = await tx
    .updateTable('keys')
    .set({ days_from: dayStartsAt })
    .where('spend_id', '=', spendId)
    .where((eb) => eb.or([eb('days_from', 'is', null), eb('days_from', '>', dayStartsAt)]))
    .executeTakeFirst()
  if (begun.numUpdatedRows === 0n) return
  await noteEntered(tx, at)
  const captured = await capturedSince(tx, { environmentId, spendId, since: dayStartsAt })
  const holds = tx.selectFrom('holds').where('spend_id', '=', spendId).where('placed_at', '>=', dayStartsAt)
  const { held } = await holds.select((eb) => eb.fn.sum<number>('amount').as('held')).executeTakeFirstOrThrow()
  const row = { spend_id: spendId, period: day, captured, held: Number(held) }
  const known = (conflict: OnConflictBuilder<Tables, 'spend_periods'>) =>
    conflict.columns(['spend_id', 'period']).doUpdateSet(row)
  await tx.insertInto('spend_periods').values(row).onConflict(known).execute()
}

/**
 * Recounts the days of one key whose counting began while the clock was ahead. Until then its daily ceiling would not
 * hold.
 */
export async function countDaysAhead(
  connection: Connection,
  { at, sure }: { at: number; sure: number },
): Promise<{ counted: number }> {
  // The clocks of two nodes do not pass midnight at the same moment.
  const { dayStartsAt } = spendDate(Math.max(at + clocksDifferMs, sure))
  const key = await connection.db
    .selectFrom('keys')
    .select('id')
    .where('days_from', '>', dayStartsAt)
    .limit(1)
    .executeTakeFirst()
  if (!key || (await isLateMessage(connection.db, at))) return { counted: 0 }
  await countDays(connection, { keyId: key.id, at: Math.max(at, sure) })
  return { counted: 1 }
}

/** Reads only as many of the environment's newest entries as needed. */
async function capturedSince(
  tx: Tx,
  { environmentId, spendId, since }: { environmentId: number; spendId: string; since: number },
): Promise<number> {
  // Clocks of nodes differ by less than this.
  const surelyOlder = since - 3_600_000
  const { rows } = await sql<{ captured: number | null }>`
    select cast(sum(entry.amount) as bigint) as captured from ledger_entries as entry
    where entry.account_id = ${environmentId} and entry.spend_id = ${spendId} and entry.kind in ('charge', 'capture')
      and coalesce(${placedAt}, entry.at) between ${since} and ${since + dayMs - 1} and entry.id > coalesce((
        select id from ledger_entries where account_id = ${environmentId} and at < ${surelyOlder}
        order by id desc limit 1), 0)`.execute(tx)
  return rows[0]?.captured ?? 0
}

/** The thresholds at which an environment is notified about its spending. */
interface Alerts {
  /** `credits.low` is sent when the balance falls below it. */
  credits_below: number
  /** `ceiling.near` is sent when this percentage of a key's ceiling is spent. */
  ceiling_percent: number
}

interface SetAlerts extends EnvironmentName {
  /** Absent = unchanged; null = the default. */
  creditsBelow?: number | null
  ceilingPercent?: number | null
  actor: string
  at: number
}

/** The alert thresholds of an environment, including defaults. */
export async function readAlerts({ db }: Connection, name: EnvironmentName): Promise<Alerts> {
  return alertsOf(await findEnvironment(db, name))
}

/** Changes the alert thresholds. They apply from now on, even if the same alert was sent before. */
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
