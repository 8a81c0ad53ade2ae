import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { write } from '../../database/engine/operation.ts'
import { clocksDifferMs, utcMonth } from '../../foundation/clock.ts'
import { enterChange } from './grants.ts'
import { isLateMessage, noteClock, noteEntered, readKnownTime } from './known-time.ts'
import { findEnvironment, readBalance, type CreditBalance, type EnvironmentName } from '../store/balances.ts'

interface SetRecurring extends EnvironmentName {
  /** Credits granted on the 1st of each UTC month; null = none. */
  monthly: number | null
  /** Whether unspent credits stay for the next month. */
  carryOver: boolean
  reason?: string | null
  actor: string
  at: number
}

/** The current time, and the last certain time: a clock that was set may still be wrong. */
interface When {
  at: number
  sure: number
}

/** A month granted by a clock that may be wrong, with everything needed to take the grant back. */
interface UnsureMonth {
  month: string
  granted: number
  /** Credits of the month before it that lapsed. */
  lapsed: number
  before: { month: string; granted: number }
}

/** If more months than this are due, the clock is wrong. */
const monthsAtMost = 24
const actor = 'system'

/**
 * Sets the monthly grant of an environment, starting with the next 1st. Months that are due under the old setting are
 * granted first.
 */
async function setRecurring(connection: Connection, args: SetRecurring): Promise<CreditBalance> {
  const { db: tx, dialect } = connection
  const { project, environment, monthly, carryOver, at, reason = null } = args
  const when = { at, sure: (await readKnownTime(tx))?.sure ?? at }
  await noteEntered(tx, at)
  await takeBackMonths(connection, args, when)
  await grantMonths(connection, args, when)
  const found = await findEnvironment(tx, args, dialect)
  const before = await readBalance(tx, found, at)
  const row = await rowOf(tx, found.id)
  const month = lastMonthOf(when)
  // A granted month is not granted again, and months without a recurring grant are not granted later.
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

/** The newest month that has begun. If the clock was set back, it is the month of the last certain time. */
function lastMonthOf({ at, sure }: When): string {
  return utcMonth(Math.max(at, sure))
}

/**
 * The newest month that a correct clock may have granted: the clocks of two nodes do not pass midnight at the same
 * moment.
 */
function lastGrantedOf({ at, sure }: When): string {
  return lastMonthOf({ at: at + clocksDifferMs, sure })
}

/**
 * Grants one environment every month that has begun since its last grant; call it until nothing is granted. Each month
 * is granted once, even with concurrent callers. Environments that are years behind are skipped and returned. Several
 * months at once wait until the clock is settled, so that a briefly wrong clock grants nothing.
 */
async function grantDueMonths(
  connection: Connection,
  { at, sure = at, isSettled = true }: { at: number; sure?: number; isSettled?: boolean },
): Promise<{ granted: number; left: string[] }> {
  const due = () =>
    connection.db
      .selectFrom('environments')
      .select(['project', 'name'])
      .where('recurring_credits', 'is not', null)
      .where('recurring_month', '<', utcMonth(at))
      .orderBy('id')
  const oldest = monthBefore(at, isSettled ? monthsAtMost : 1)
  const next = await due().where('recurring_month', '>=', oldest).limit(1).executeTakeFirst()
  const when = { at, sure }
  const granted = next ? await grantMonths(connection, { project: next.project, environment: next.name }, when) : 0
  const left = await due().where('recurring_month', '<', monthBefore(at, monthsAtMost)).limit(20).execute()
  return { granted, left: left.map(({ project, name }) => `${project}/${name}`) }
}

function monthBefore(at: number, months: number): string {
  const date = new Date(at)
  return utcMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months))
}

/** Runs in one transaction with the record of the month, so that a crash neither repeats nor loses a grant. */
async function grantMonths(connection: Connection, name: EnvironmentName, when: When): Promise<number> {
  const { db: tx, dialect } = connection
  const { at, sure } = when
  const { id } = await findEnvironment(tx, name, dialect)
  const row = await rowOf(tx, id)
  const { recurring_credits: credits, recurring_month: last } = row
  if (credits === null || last === null) return 0
  const months = monthsBetween(last, utcMonth(at))
  if (months.length > monthsAtMost) return 0
  const unsure = readUnsure(row.recurring_unsure)
  let before = { month: last, granted: row.recurring_granted }
  for (const month of months) {
    const lapsed = row.recurring_carries === 0 ? await lapse(connection, name, { id, ...before, at }) : 0
    const reason = `recurring credits of ${month}`
    if (credits > 0) await enterChange(connection, 'grant', { ...name, amount: credits, reason, actor, at })
    if (month > utcMonth(sure)) unsure.push({ month, granted: credits, lapsed, before })
    await tx
      .updateTable('environments')
      .set({ recurring_month: month, recurring_granted: credits })
      .where('id', '=', id)
      .execute()
    before = { month, granted: credits }
  }
  if (months.length === 0) return 0
  await noteEntered(tx, at)
  await writeUnsure(tx, id, unsure, sure)
  return months.length
}

/** The reason in the ledger. Statements use it to distinguish lapsed credits from corrections. */
export function lapseReason(month: string): string {
  return `recurring credits of ${month} that were not spent`
}

/** Takes back the unspent part of a monthly grant. Held credits count as spent. */
async function lapse(
  connection: Connection,
  name: EnvironmentName,
  { id, month, granted, at }: { id: number; month: string; granted: number; at: number },
): Promise<number> {
  const { db: tx } = connection
  const spent = await tx
    .selectFrom('spend_periods')
    .select(({ fn }) => [fn.sum<number>('captured').as('captured'), fn.sum<number>('held').as('held')])
    .where('period', '=', month)
    .where('spend_id', 'in', (query) => query.selectFrom('keys').select('spend_id').where('environment_id', '=', id))
    .executeTakeFirst()
  const { balance, held } = await rowOf(tx, id)
  const unspent = granted - Number(spent?.captured ?? 0) - Number(spent?.held ?? 0)
  const lapsed = Math.min(unspent, balance - held)
  if (lapsed <= 0) return 0
  const reason = lapseReason(month)
  await enterChange(connection, 'adjustment', { ...name, amount: -lapsed, reason, actor, at })
  return lapsed
}

/** Takes back what a clock that was ahead granted to the next such environment; null if absent. */
async function takeBackAhead(
  connection: Connection,
  { at, sure, after }: When & { after: number },
): Promise<{ next: number | null }> {
  const ahead = await connection.db
    .selectFrom('environments')
    .select(['id', 'project', 'name'])
    .where('id', '>', after)
    .where('recurring_month', '>', lastGrantedOf({ at, sure }))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!ahead || (await isLateMessage(connection.db, at))) return { next: null }
  await takeBackMonths(connection, { project: ahead.project, environment: ahead.name }, { at, sure })
  return { next: ahead.id }
}

/**
 * Takes back months that lie in the future, newest first, and restores what lapsed for them. A month whose credits are
 * spent stays granted and is not granted again when it comes.
 */
async function takeBackMonths(connection: Connection, name: EnvironmentName, when: When): Promise<void> {
  const { db: tx, dialect } = connection
  const { id } = await findEnvironment(tx, name, dialect)
  const row = await rowOf(tx, id)
  const newest = lastGrantedOf(when)
  if (row.recurring_month === null || row.recurring_month <= newest) return
  const unsure = readUnsure(row.recurring_unsure)
  const taken = affordable(
    unsure.filter(({ month }) => month > newest),
    row.balance - row.held,
  )
  const [first] = taken
  const kept = unsure.slice(0, unsure.length - taken.length)
  // No unsure months are recorded, so it was granted by an earlier version: it continues with the next month.
  const back = first?.before ?? (unsure.length === 0 ? { month: newest, granted: 0 } : null)
  if (!back) return
  const amount = -costOf(taken)
  const reason = `recurring credits of ${first?.month} to ${taken.at(-1)?.month}, granted while the clock was ahead`
  if (amount !== 0) await enterChange(connection, 'adjustment', { ...name, amount, reason, actor, at: when.at })
  const set = { recurring_month: back.month, recurring_granted: back.granted }
  await tx.updateTable('environments').set(set).where('id', '=', id).execute()
  await writeUnsure(tx, id, kept, when.sure)
}

/** As many of the newest months as the available credits cover. */
function affordable(months: readonly UnsureMonth[], available: number): UnsureMonth[] {
  const from = months.findIndex((_, index) => costOf(months.slice(index)) <= available)
  return from === -1 ? [] : months.slice(from)
}

function costOf(months: readonly UnsureMonth[]): number {
  return months.reduce((sum, { granted, lapsed }) => sum + granted - lapsed, 0)
}

/** Written by `writeUnsure`. */
function readUnsure(text: string | null): UnsureMonth[] {
  return text === null ? [] : (JSON.parse(text) as UnsureMonth[])
}

/** Keeps the months that lie after the last certain time. */
async function writeUnsure(tx: Tx, id: number, months: readonly UnsureMonth[], sure: number): Promise<void> {
  const left = months.filter(({ month }) => month > utcMonth(sure))
  const text = left.length === 0 ? null : JSON.stringify(left)
  await tx.updateTable('environments').set({ recurring_unsure: text }).where('id', '=', id).execute()
}

function rowOf(tx: Tx, id: number) {
  return tx.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The months after `after`, up to `last`; empty if the clock was set back. */
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

export const recurringOperations = {
  noteClock: write(noteClock),
  takeBackAhead: write(takeBackAhead),
  setRecurring: write(setRecurring),
  grantDueMonths: write(grantDueMonths),
}
