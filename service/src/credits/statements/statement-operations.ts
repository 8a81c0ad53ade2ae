import type { DataSource, Kind } from '@vitae/contract'
import { sql, type RawBuilder } from 'kysely'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { report, write, type Subject } from '../../database/engine/operation.ts'
import { providerCosts } from '../../database/sql/aggregate-calls.ts'
import { dayMs, monthAfter, startOfMonth, utcMonth } from '../../foundation/clock.ts'
import { lapseReason } from '../grants/recurring-grants.ts'
import { findEnvironment, type EnvironmentName } from '../store/balances.ts'
import type { ChargedCalls, StatementFigures } from './statement.ts'

export interface ClosedStatement {
  body: string
  digest: string
}

/** One environment in a month: the closed statement, or the current figures. */
export interface EnvironmentMonth {
  environment: string
  closed: ClosedStatement | null
  figures: StatementFigures
  /** The newest entry in the figures, and whether a call of the month may still be charged. */
  lastEntry: number
  isHeld: boolean
  /** False if the environment had no entry by the end of the month. */
  hasBegun: boolean
}

/** The balances, grants and charges of each environment of a project, or of one of them, in a month. */
async function statementMonths(
  { db, dialect }: Connection,
  { project, environment, month }: { project: string; environment: string | null; month: string },
): Promise<EnvironmentMonth[]> {
  if (environment !== null) await findEnvironment(db, { project, environment })
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('project', '=', project)
    .$if(environment !== null, (query) => query.where('name', '=', environment ?? ''))
    .orderBy('name')
    .execute()
  const months: EnvironmentMonth[] = []
  for (const { id, name } of rows) months.push({ environment: name, ...(await monthOf({ db, dialect }, id, month)) })
  return months
}

async function monthOf(
  connection: Connection,
  id: number,
  month: string,
): Promise<Omit<EnvironmentMonth, 'environment'>> {
  const { db } = connection
  const kept = db.selectFrom('statements').where('account_id', '=', id)
  const closed = await kept.select(['body', 'digest']).where('month', '=', month).executeTakeFirst()
  if (closed) return { closed, figures: noFigures, lastEntry: 0, isHeld: false, hasBegun: true }
  const before = await kept
    .select(['month', 'body', 'last_entry'])
    .where('month', '<', month)
    .orderBy('month', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { first, last } = await db
    .selectFrom('ledger_entries')
    .select(({ fn }) => [fn.min('at').as('first'), fn.max('id').as('last')])
    .where('account_id', '=', id)
    .executeTakeFirstOrThrow()
  const lastEntry = last ?? 0
  const counted = countedIn(month, before ? { month: before.month, lastEntry: before.last_entry } : null)
  const opening = before ? (JSON.parse(before.body) as { closing_balance: number }).closing_balance : 0
  const sums = await sumsOf(db, id, counted)
  const held = await db
    .selectFrom('holds')
    .select('id')
    .where('account_id', '=', id)
    .where('month', '<=', month)
    .limit(1)
    .execute()
  return {
    closed: null,
    figures: {
      ...sums,
      opening: opening + sums.before,
      calls: await chargedCalls(connection, id, month, counted),
      costs: await costsOf(connection, id, month),
    },
    lastEntry,
    isHeld: held.length > 0,
    hasBegun: first !== null && utcMonth(first) <= month,
  }
}

const noFigures: StatementFigures = {
  opening: 0,
  granted: 0,
  lapsed: 0,
  charged: 0,
  corrected: 0,
  charges: 0,
  calls: [],
  costs: [],
}

interface Counted {
  /** Conditions on `entry`: it counts in the month, or in the opening balance after the newest closed month. */
  isIn: RawBuilder<boolean>
  isBefore: RawBuilder<boolean>
}

/** Whether an entry belongs to a month or an earlier one: by the month of its hold, or without a hold by its time. */
function isUpTo(last: string): RawBuilder<boolean> {
  return sql<boolean>`coalesce(entry.month <= ${last}, entry.at < ${startOfMonth(monthAfter(last))})`
}

/**
 * The entries that count. An entry made after its month was closed, by a clock that was behind, counts in the following
 * month: a closed statement never changes.
 */
function countedIn(month: string, closed: { month: string; lastEntry: number } | null): Counted {
  const previous = utcMonth(startOfMonth(month) - 1)
  const isLate = closed
    ? sql<boolean>`(${isUpTo(closed.month)} and entry.id > ${closed.lastEntry})`
    : sql<boolean>`1 = 0`
  const isOpen = closed ? sql<boolean>`(not ${isUpTo(closed.month)} or ${isLate})` : sql<boolean>`1 = 1`
  const countsHere = closed?.month === previous ? isLate : sql<boolean>`1 = 0`
  const isIn = sql<boolean>`(${isUpTo(month)} and (not ${isUpTo(previous)} or ${countsHere}))`
  return { isIn, isBefore: sql<boolean>`(${isUpTo(previous)} and ${isOpen} and not ${countsHere})` }
}

async function sumsOf(db: Tx, id: number, { isIn, isBefore }: Counted) {
  const isLapse = sql`(entry.kind = 'adjustment' and entry.actor = 'system' and entry.reason like ${lapseReason('%')})`
  const sum = (condition: RawBuilder<boolean>, amount: RawBuilder<unknown>) =>
    sql<number>`cast(coalesce(sum(case when ${condition} then ${amount} else 0 end), 0) as bigint)`
  const isCharge = sql<boolean>`entry.kind in ('charge', 'capture')`
  const { rows } = await sql<Record<'before' | 'granted' | 'lapsed' | 'charged' | 'corrected' | 'charges', number>>`
    select ${sum(isBefore, sql`case when ${isCharge} then -amount else amount end`)} as before,
      ${sum(sql`${isIn} and entry.kind = 'grant'`, sql`amount`)} as granted,
      ${sum(sql`${isIn} and ${isLapse}`, sql`-amount`)} as lapsed,
      ${sum(sql`${isIn} and ${isCharge}`, sql`amount`)} as charged,
      ${sum(sql`${isIn} and entry.kind = 'adjustment' and not ${isLapse}`, sql`amount`)} as corrected,
      ${sum(sql`${isIn} and ${isCharge}`, sql`1`)} as charges
    from ledger_entries as entry
    where account_id = ${id} and kind in ('grant', 'adjustment', 'charge', 'capture')`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a sum has one row')
  const { before, granted, lapsed, charged, corrected, charges } = row
  return {
    before: Number(before),
    granted: Number(granted),
    lapsed: Number(lapsed),
    charged: Number(charged),
    corrected: Number(corrected),
    charges: Number(charges),
  }
}

/** A call may be logged this long before and after its month. */
const aroundMs = 2 * dayMs

interface ChargedRow {
  price: string
  kind: Kind
  source: DataSource
  tag: string
  each: number
  calls: number
}

/** The charged calls in the log, and the sums of those that retention has removed. */
async function chargedCalls({ db }: Connection, id: number, month: string, { isIn }: Counted): Promise<ChargedCalls[]> {
  const [since, until] = [startOfMonth(month) - aroundMs, startOfMonth(monthAfter(month)) + aroundMs]
  const { rows } = await sql<ChargedRow>`
    select coalesce(price, '') as price, calls.kind as kind, source, coalesce(tag, '') as tag, entry.amount as each,
      count(*) as calls
    from calls join ledger_entries as entry on entry.request_id = calls.request_id
    where calls.account_id = ${id} and calls.at >= ${since} and calls.at < ${until} and calls.status = 200
      and entry.kind in ('charge', 'capture') and ${isIn}
    group by 1, 2, 3, 4, 5
    union all
    select name, kind, source, tag, each, calls from statement_sums
    where account_id = ${id} and month = ${month} and what = 'line'`.execute(db)
  return rows.map(({ price, tag, each, calls, ...rest }) => ({
    ...rest,
    price: price || null,
    tag: tag || null,
    each: Number(each),
    calls: Number(calls),
  }))
}

async function costsOf({ db, dialect }: Connection, id: number, month: string): Promise<StatementFigures['costs']> {
  const [since, until] = [startOfMonth(month), startOfMonth(monthAfter(month))]
  const asked = sql`calls.account_id = ${id} and calls.at >= ${since} and calls.at < ${until}`
  const { rows } = await sql<{ provider: string; amount: number }>`
    select provider, amount from (${providerCosts(dialect, 'call_details', asked)}) as costs
    union all
    select name, amount from statement_sums where account_id = ${id} and month = ${month} and what = 'cost'`.execute(db)
  return rows.map(({ provider, amount }) => ({ provider, amount: Number(amount) }))
}

interface CloseStatement extends EnvironmentName {
  month: string
  lastEntry: number
  body: string
  digest: string
  /** For the audit log, which outlives the statement's own row. */
  providerCost: unknown
  at: number
}

/**
 * Stores the statement of a finished month; never changes one. Refused if an entry of the month was made since the
 * figures were read, or if a call still holds credits of it.
 */
async function closeStatement({ db: tx, dialect }: Connection, args: CloseStatement): Promise<{ isClosed: boolean }> {
  const { project, environment, month, lastEntry, body, digest, providerCost, at } = args
  const { id } = await findEnvironment(tx, args, dialect)
  const holds = await tx
    .selectFrom('holds')
    .select('id')
    .where('account_id', '=', id)
    .where('month', '<=', month)
    .limit(1)
    .execute()
  const { rows: later } = await sql`select 1 from ledger_entries as entry where account_id = ${id} and id > ${lastEntry}
    and ${isUpTo(month)} limit 1`.execute(tx)
  if (holds.length + later.length > 0) return { isClosed: false }
  const row = { account_id: id, month, body, digest, last_entry: lastEntry, closed_at: at }
  const stored = await tx
    .insertInto('statements')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id', 'month']).doNothing())
    .returning('month')
    .executeTakeFirst()
  if (!stored) return { isClosed: true }
  await tx.deleteFrom('statement_sums').where('account_id', '=', id).where('month', '<=', month).execute()
  const after = { month, digest, provider_cost: providerCost }
  const subject = `${project}/${environment}`
  await appendAudit(tx, dialect, { at, actor: 'system', action: 'statement.close', subject, after })
  return { isClosed: true }
}

/** The environments with an unclosed month before this one, and the oldest such month of each. */
async function monthsToClose(
  { db }: Connection,
  { before }: { before: string },
): Promise<(EnvironmentName & { month: string })[]> {
  const { rows } = await sql<EnvironmentName & { closed: string | null; first: number | null }>`
    select project, name as environment,
      (select max(month) from statements where account_id = environments.id) as closed,
      (select at from ledger_entries where account_id = environments.id order by id limit 1) as first
    from environments order by id`.execute(db)
  return rows.flatMap(({ project, environment, closed, first }) => {
    if (closed === null && first === null) return []
    const month = closed === null ? utcMonth(Number(first)) : monthAfter(closed)
    return month < before ? [{ project, environment, month }] : []
  })
}

export const statementOperations = {
  statementMonths: report(statementMonths),
  closeStatement: write(closeStatement),
  monthsToClose: report(monthsToClose),
}
export type StatementStore = Subject<typeof statementOperations>
