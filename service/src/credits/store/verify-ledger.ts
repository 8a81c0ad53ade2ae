import { sql, type RawBuilder } from 'kysely'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { utcDay, dayMs } from '../../foundation/clock.ts'
import { environmentSpendId } from '../decision/ledger-snapshot.ts'
import { compareDaySums } from './sum-day.ts'

export interface Difference {
  /** The wrong figure, in words that an operator can act on. */
  what: string
  /** The value by the entries; null = it should not exist. */
  expected: number | null
  /** The stored value; null = it is missing. */
  actual: number | null
}

export interface LedgerReport {
  ok: boolean
  entries: number
  differences: Difference[]
}

type Figures = Map<string, number>

/** The effect of an entry on the balance of its environment. */
export const balanceChange = sql`case kind when 'grant' then amount when 'adjustment' then amount
  when 'charge' then -amount when 'capture' then -amount else 0 end`
const capturedChange = sql`case kind when 'charge' then amount when 'capture' then amount else 0 end`
const heldChange = sql`case kind when 'hold' then amount when 'release' then -amount
  when 'capture' then -coalesce(held_amount, 0) else 0 end`

/**
 * Recomputes every figure from the entries and lists the ones that differ from the stored values. It reads one
 * snapshot, so concurrent changes are not differences.
 */
export async function verifyLedger({ db: tx }: Connection, _args: void): Promise<LedgerReport> {
  const { entries } = await tx
    .selectFrom('ledger_entries')
    .select(({ fn }) => fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow()
  const differences = [
    ...(await compareEnvironments(tx)),
    ...(await comparePeriods(tx)),
    ...(await compareHolds(tx)),
    ...(await findStrayIdempotencyRecords(tx)),
    ...(await compareDaySums(tx)),
  ]
  return { ok: differences.length === 0, entries: Number(entries), differences }
}

async function compareEnvironments(tx: Tx): Promise<Difference[]> {
  const entered = await tx
    .selectFrom('ledger_entries')
    .select(['account_id', total(balanceChange).as('balance'), total(heldChange).as('held')])
    .groupBy('account_id')
    .execute()
  const kept = await tx.selectFrom('environments').select(['id', 'project', 'name', 'balance', 'held']).execute()
  const names = new Map(kept.map((row) => [row.id, `${row.project}/${row.name}`]))
  const nameOf = (id: number) => names.get(id) ?? `environment ${id}`
  return compare(
    figures(entered, (row) => [
      [`balance of ${nameOf(row.account_id)}`, row.balance],
      [`held of ${nameOf(row.account_id)}`, row.held],
    ]),
    figures(kept, (row) => [
      [`balance of ${nameOf(row.id)}`, row.balance],
      [`held of ${nameOf(row.id)}`, row.held],
    ]),
  )
}

async function comparePeriods(tx: Tx): Promise<Difference[]> {
  const sums = [total(capturedChange).as('captured'), total(heldChange).as('held')] as const
  const months = await tx
    .selectFrom('ledger_entries')
    .select(['spend_id', 'month as period', ...sums])
    .where('spend_id', 'is not', null)
    .groupBy(['spend_id', 'month'])
    .execute()
  const budgets = await tx
    .selectFrom('ledger_entries')
    .select(['account_id', 'month as period', ...sums])
    .where('spend_id', 'is not', null)
    .where('account_id', 'in', tx.selectFrom('environments').select('id').where('monthly_budget', 'is not', null))
    .groupBy(['account_id', 'month'])
    .execute()
  const entered = [
    ...months,
    ...(await enteredDays(tx)),
    ...budgets.map((row) => ({ ...row, spend_id: environmentSpendId(row.account_id) })),
  ]
  const kept = await tx.selectFrom('spend_periods').selectAll().execute()
  return compare(figures(entered, namedPeriod), figures(kept, namedPeriod))
}

/** The end of a hold counts on the day on which the hold was placed. */
async function enteredDays(tx: Tx) {
  const { rows } = await sql<{ spend_id: string; day: number; captured: number; held: number }>`
    select spend_id, day, ${total(capturedChange)} as captured, ${total(heldChange)} as held from (
      select entry.*, coalesce(${placedAt}, entry.at) / ${sql.lit(dayMs)} as day, keys.days_from
      from ledger_entries as entry join keys on keys.id = entry.key_id and keys.days_from is not null) as spends
    where day * ${sql.lit(dayMs)} >= days_from group by spend_id, day`.execute(tx)
  return rows.map((row) => ({ ...row, period: utcDay(row.day * dayMs) }))
}

function namedPeriod(row: { spend_id: string | null; period: string | null; captured: number; held: number }) {
  const spender = row.spend_id?.includes(' ') ? row.spend_id : `key ${row.spend_id}`
  return [
    [`captured of ${spender} in ${row.period}`, row.captured],
    [`held of ${spender} in ${row.period}`, row.held],
  ] satisfies [string, number][]
}

async function compareHolds(tx: Tx): Promise<Difference[]> {
  const open = sql<number>`cast(sum(case kind when 'hold' then 1 else -1 end) as bigint)`
  const entered = await tx
    .selectFrom('ledger_entries')
    .select(['hold_id', total(heldChange).as('amount')])
    .where('hold_id', 'is not', null)
    .groupBy('hold_id')
    .having((eb) => eb.or([eb(open, '<>', 0), eb(total(heldChange), '<>', 0)]))
    .execute()
  const kept = await tx.selectFrom('holds').select(['id as hold_id', 'amount']).execute()
  const named = (row: { hold_id: string | null; amount: number }) =>
    [[`hold ${row.hold_id}`, row.amount]] satisfies [string, number][]
  return compare(figures(entered, named), figures(kept, named), null)
}

/**
 * A running idempotency record must end with its hold; without a hold, retries would wait for a call that no longer
 * exists.
 */
async function findStrayIdempotencyRecords(tx: Tx): Promise<Difference[]> {
  const rows = await tx
    .selectFrom('idempotency')
    .leftJoin('holds', 'holds.id', 'idempotency.request_id')
    .select('request_id')
    .where('state', '=', 'running')
    .where('holds.id', 'is', null)
    .execute()
  return rows.map((row) => ({
    what: `running idempotency record of ${row.request_id} without a hold`,
    expected: null,
    actual: 1,
  }))
}

function total(change: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(sum(${change}) as bigint)`
}

function figures<Row>(rows: readonly Row[], named: (row: Row) => [string, number][]): Figures {
  return new Map(rows.flatMap(named))
}

function compare(expected: Figures, actual: Figures, absent: number | null = 0): Difference[] {
  const names = new Set([...expected.keys(), ...actual.keys()])
  return [...names]
    .map((what) => ({ what, expected: expected.get(what) ?? absent, actual: actual.get(what) ?? absent }))
    .filter((figure) => figure.expected !== figure.actual)
}

/**
 * Checks the newest part of the ledger in bounded time: held credits against the open holds, and the newest charges
 * against their calls. `verifyLedger` recomputes everything.
 */
export async function verifyNewestEntries({ db: tx }: Connection, { limit }: { limit: number }): Promise<LedgerReport> {
  const charges = await newestCharges(tx, limit)
  const wrong = charges.flatMap(({ request, amount, credits }): Difference[] =>
    amount === credits ? [] : [{ what: `charge of call ${request}`, expected: amount, actual: credits }],
  )
  const differences = [...(await compareHeld(tx)), ...wrong]
  return { ok: differences.length === 0, entries: charges.length, differences }
}

async function newestCharges(tx: Tx, limit: number): Promise<{ request: string; amount: number; credits: number }[]> {
  const { rows } = await sql<{ request: string; amount: number; credits: number }>`
    select calls.request_id as request, newest.amount as amount, calls.credits as credits
    from (select request_id, kind, amount from ledger_entries order by id desc limit ${limit}) as newest
    join calls on calls.request_id = newest.request_id where newest.kind in ('charge', 'capture')`.execute(tx)
  return rows
}

async function compareHeld(tx: Tx): Promise<Difference[]> {
  const { rows } = await sql<{ project: string; name: string; expected: number; actual: number }>`
    select project, name, coalesce(open.amount, 0) as expected, held as actual
    from environments left join
      (select account_id, cast(sum(amount) as bigint) as amount from holds group by account_id) as open
      on open.account_id = environments.id
    where held <> coalesce(open.amount, 0)`.execute(tx)
  return rows.map(({ project, name, expected, actual }) => ({ what: `held of ${project}/${name}`, expected, actual }))
}

/**
 * When the hold that ledger row `entry` ends was placed; null without a hold. A request whose hold was released before
 * its answer arrived places it again, so there may be several.
 */
export const placedAt = sql<number | null>`(select placed.at from ledger_entries as placed
  where placed.request_id = entry.hold_id and placed.kind = 'hold' and placed.id <= entry.id
  order by placed.id desc limit 1)`
