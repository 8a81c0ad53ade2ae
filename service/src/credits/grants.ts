import { appendAudit } from '../audit/audit.ts'
import type { Connection, Tx } from '../database/dialect.ts'
import { Failure } from '../foundation/failure.ts'
import { usualAlerts } from './decision/ledger-snapshot.ts'
import { findEnvironment, readBalance, type EnvironmentName, type CreditBalance } from './reports/credit-balance.ts'
import { write } from '../database/operation.ts'
import { utcMonth } from '../foundation/clock.ts'

export interface GrantArgs extends EnvironmentName {
  amount: number
  reason?: string | null
  actor: string
  at: number
}

/** Adds credits to an environment. The next call can spend them. */
export async function grantCredits(database: Connection, args: GrantArgs): Promise<CreditBalance> {
  if (args.amount <= 0) throw wrongAmount('must be at least 1; use an adjustment to take credits away')
  return change(database, 'grant', args)
}

/** Corrects a balance by a signed amount. What calls in flight hold cannot be taken away. */
export async function adjustCredits(database: Connection, args: GrantArgs): Promise<CreditBalance> {
  if (args.amount === 0) throw wrongAmount('must not be 0')
  return change(database, 'adjustment', args)
}

async function change(connection: Connection, kind: 'grant' | 'adjustment', args: GrantArgs): Promise<CreditBalance> {
  if (!Number.isSafeInteger(args.amount)) throw wrongAmount('must be a whole number')
  return enterChange(connection, kind, args)
}

/** Enters a grant or an adjustment, inside the transaction of its caller: the ledger, the balance and the audit log. */
export async function enterChange(
  { db: tx, dialect }: Connection,
  kind: 'grant' | 'adjustment',
  args: GrantArgs,
): Promise<CreditBalance> {
  const { project, environment, amount, actor, at, reason = null } = args
  const row = await findEnvironment(tx, args, dialect)
  const before = await readBalance(tx, row, at)
  const after = await readBalance(tx, { ...row, balance: row.balance + amount }, at)
  if (after.available < 0) throw wrongAmount(`would leave less than nothing: ${before.available} are available`)
  if (!Number.isSafeInteger(after.balance)) throw wrongAmount('would make the balance too large to be exact')

  // Enough again: the next time that it is not is notified.
  const isLow = after.balance < (row.alert_credits_below ?? usualAlerts.lowBelow)
  const change = { balance: after.balance, low_told: isLow ? row.low_told : 0 }
  await tx.updateTable('environments').set(change).where('id', '=', row.id).execute()
  await tx.insertInto('ledger_entries').values({ account_id: row.id, kind, amount, reason, actor, at }).execute()
  const subject = `${project}/${environment}`
  const action = kind === 'grant' ? 'credits.grant' : 'credits.adjust'
  await appendAudit(tx, dialect, { at, actor, action, subject, reason, before, after: { ...after, amount } })
  return after
}

function wrongAmount(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `amount ${detail}`,
    errors: [{ parameter: 'amount', detail }],
  })
}

interface SetRecurring extends EnvironmentName {
  /** Credits on the 1st of each UTC month; null = none. */
  monthly: number | null
  /** Whether what is not spent stays for the next month. */
  carryOver: boolean
  reason?: string | null
  actor: string
  at: number
}

/** More months than this have not been missed: the clock is wrong, and what it grants could not be taken back. */
const monthsAtMost = 24
const actor = 'system'

/** Sets what an environment is granted each month, from the next 1st on. What is due by what was set before is granted first. */
async function setRecurring(connection: Connection, args: SetRecurring): Promise<CreditBalance> {
  const { db: tx, dialect } = connection
  const { project, environment, monthly, carryOver, at, reason = null } = args
  await grantMonths(connection, args, at)
  const found = await findEnvironment(tx, args, dialect)
  const before = await readBalance(tx, found, at)
  const row = await rowOf(tx, found.id)
  const month = utcMonth(at)
  // A month that was granted is not granted again, and those without a recurring grant are not made up for.
  const isNew = row.recurring_month === null || row.recurring_month < month
  const next = {
    recurring_credits: monthly,
    recurring_carries: carryOver ? 1 : 0,
    ...(isNew ? { recurring_month: month, recurring_granted: 0 } : {}),
  }
  await tx.updateTable('environments').set(next).where('id', '=', found.id).execute()
  const after = await readBalance(tx, await findEnvironment(tx, args), at)
  const subject = `${project}/${environment}`
  await appendAudit(tx, dialect, { at, actor: args.actor, action: 'credits.recurring', subject, reason, before, after })
  return after
}

/**
 * Grants one environment every month that has begun since the last one that was granted. Each is granted once, whoever calls
 * this; it is called until nothing is granted. Those that are years behind are left, and named.
 */
async function grantDueMonths(
  connection: Connection,
  { at }: { at: number },
): Promise<{ granted: number; left: string[] }> {
  const due = () =>
    connection.db
      .selectFrom('environments')
      .select(['project', 'name'])
      .where('recurring_credits', 'is not', null)
      .where('recurring_month', '<', utcMonth(at))
      .orderBy('id')
  const oldest = utcMonth(Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth() - monthsAtMost))
  const next = await due().where('recurring_month', '>=', oldest).limit(1).executeTakeFirst()
  const granted = next ? await grantMonths(connection, { project: next.project, environment: next.name }, at) : 0
  const left = await due().where('recurring_month', '<', oldest).limit(20).execute()
  return { granted, left: left.map(({ project, name }) => `${project}/${name}`) }
}

/** In one transaction with the month that it was for, so that no crash grants it twice or loses it. */
async function grantMonths(connection: Connection, name: EnvironmentName, at: number): Promise<number> {
  const { db: tx, dialect } = connection
  const { id } = await findEnvironment(tx, name, dialect)
  const row = await rowOf(tx, id)
  const { recurring_credits: credits, recurring_month: last } = row
  if (credits === null || last === null) return 0
  const months = monthsBetween(last, utcMonth(at))
  if (months.length > monthsAtMost) return 0
  let before = { month: last, granted: row.recurring_granted }
  for (const month of months) {
    if (row.recurring_carries === 0) await lapse(connection, name, { id, ...before, at })
    const reason = `recurring credits of ${month}`
    if (credits > 0) await enterChange(connection, 'grant', { ...name, amount: credits, reason, actor, at })
    await tx
      .updateTable('environments')
      .set({ recurring_month: month, recurring_granted: credits })
      .where('id', '=', id)
      .execute()
    before = { month, granted: credits }
  }
  return months.length
}

/** What was granted for a month and not spent in it is taken back. What calls still hold counts as spent. */
async function lapse(
  connection: Connection,
  name: EnvironmentName,
  { id, month, granted, at }: { id: number; month: string; granted: number; at: number },
): Promise<void> {
  const { db: tx } = connection
  const spent = await tx
    .selectFrom('spend_periods')
    .select(({ fn }) => [fn.sum<number>('captured').as('captured'), fn.sum<number>('held').as('held')])
    .where('period', '=', month)
    .where('spend_id', 'in', (query) => query.selectFrom('keys').select('spend_id').where('environment_id', '=', id))
    .executeTakeFirst()
  const { balance, held } = await rowOf(tx, id)
  const unspent = granted - Number(spent?.captured ?? 0) - Number(spent?.held ?? 0)
  const amount = -Math.min(unspent, balance - held)
  if (amount >= 0) return
  const reason = `recurring credits of ${month} that were not spent`
  await enterChange(connection, 'adjustment', { ...name, amount, reason, actor, at })
}

function rowOf(tx: Tx, id: number) {
  return tx.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The months after the first one, up to the last; none where a clock was set back. */
function monthsBetween(after: string, last: string): string[] {
  const months: string[] = []
  const [year = 0, month = 1] = after.split('-').map(Number)
  for (let number = month; months.length <= monthsAtMost; number++) {
    const next = utcMonth(Date.UTC(year, number))
    if (next > last) break
    months.push(next)
  }
  return months
}

export const recurringOperations = { setRecurring: write(setRecurring), grantDueMonths: write(grantDueMonths) }
