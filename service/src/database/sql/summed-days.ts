import { sql } from 'kysely'
import type { Connection, Tx } from '../engine/dialect.ts'
import type { SummedDayRow } from '../tables/calls.ts'
import { dayMs } from '../../foundation/clock.ts'

const sumsLock = 7_184_237_003

/** Until the transaction ends, no other node writes day sums. */
export async function lockDaySums({ db, dialect }: Connection): Promise<void> {
  await dialect.advisoryLock(db, sumsLock)
}

/**
 * More rows than a day can have. It is added to the number of rows of a day once retention removes its calls: then no
 * node sums the rest of them again.
 */
export const finalRows = 2 ** 52

/** Whether retention removes the calls of a day with this number of counted rows. */
export function isFinal(rows: number): boolean {
  return rows >= finalRows
}

/** Whether retention has removed every counted row: all calls that are there came later. */
export function isEmptied(rows: number): boolean {
  return rows === finalRows
}

/** Records that a day has sums. */
export async function noteSummedDay(db: Tx, row: SummedDayRow): Promise<void> {
  const { rows, sums, made } = row
  await db
    .insertInto('summed_days')
    .values(row)
    .onConflict((conflict) => conflict.columns(['what', 'day']).doUpdateSet({ rows, sums, made }))
    .execute()
}

/**
 * Deletes the sums of days from this one on: a clock that was ahead made them, and calls may still fall into these
 * days. Sums of removed calls stay.
 */
export async function forgetSums(connection: Connection, { from }: { from: number }): Promise<number> {
  const { db } = connection
  const ahead = db.selectFrom('summed_days').select('day').where('day', '>=', from).where('rows', '<', finalRows)
  const days = [...new Set((await ahead.execute()).map(({ day }) => day))]
  if (days.length === 0) return 0
  await lockDaySums(connection)
  for (const table of ['summed_days', 'environment_days', 'key_days', 'provider_days'] as const)
    await db.deleteFrom(table).where('day', 'in', days).execute()
  return days.length
}

/** The newest day before another one that has calls or fetches, and whether it has sums; null if absent. */
export async function dayToSum(
  { db }: Connection,
  { what, before }: { what: SummedDayRow['what']; before: number },
): Promise<{ day: number; isSummed: boolean } | null> {
  const newest = await db
    .selectFrom(what)
    .select(({ fn }) => fn.max('at').as('at'))
    .where('at', '<', before)
    .executeTakeFirst()
  const at = newest?.at ?? -1
  if (at < 0) return null
  const day = at - (at % dayMs)
  return { day, isSummed: await isSummed(db, what, day) }
}

async function isSummed(db: Tx, what: SummedDayRow['what'], day: number): Promise<boolean> {
  const noted = await notedRows(db, what, day)
  if (noted === null || what === 'fetches' || isFinal(noted)) return noted !== null
  return (await rowsOf(db, day)) <= noted
}

/** The number of counted rows of a day; null if it has no sums. */
export async function notedRows(db: Tx, what: SummedDayRow['what'], day: number): Promise<number | null> {
  const noted = db.selectFrom('summed_days').select('rows').where('what', '=', what).where('day', '=', day)
  return (await noted.executeTakeFirst())?.rows ?? null
}

/**
 * Makes the days of a time range final, if each has sums of all its calls. Returns whether they are: retention removes
 * only calls of final days.
 */
export async function makeFinal(
  connection: Connection,
  { since, until }: { since: number; until: number },
): Promise<boolean> {
  const { db } = connection
  await lockDaySums(connection)
  const noted = await db
    .selectFrom('summed_days')
    .select(['day', 'rows'])
    .where('what', '=', 'calls')
    .where('day', '>=', since)
    .where('day', '<', until)
    .execute()
  if (noted.length === (until - since) / dayMs && noted.every(({ rows }) => isFinal(rows))) return true
  const counted = new Map(noted.map(({ day, rows }) => [day, rows]))
  const { rows: days } = await sql<{ day: number; rows: number }>`
    select at - at % ${sql.lit(dayMs)} as day, count(*) as rows from calls where at >= ${since} and at < ${until}
    group by 1`.execute(db)
  if (days.some(({ day, rows }) => (counted.get(day) ?? -1) < Number(rows))) return false
  await db
    .updateTable('summed_days')
    .set(({ eb }) => ({ rows: eb('rows', '+', finalRows) }))
    .where('what', '=', 'calls')
    .where('rows', '<', finalRows)
    .where('day', '>=', since)
    .where('day', '<', until)
    .execute()
  return true
}

/** The number of counted rows that a final day still has. */
export async function countedLeft(db: Tx, day: number): Promise<number> {
  return ((await notedRows(db, 'calls', day)) ?? finalRows) - finalRows
}

/** Notes that counted rows of final days were removed. */
export async function noteRemoved(
  db: Tx,
  { since, until, rows }: { since: number; until: number; rows: number | null },
) {
  await db
    .updateTable('summed_days')
    .set(({ eb }) => ({ rows: rows === null ? finalRows : eb('rows', '-', rows) }))
    .where('what', '=', 'calls')
    .where('day', '>=', since)
    .where('day', '<', until)
    .execute()
}

/** The number of calls of a day in the log. It exceeds the summed number if a call was written after the sum. */
export async function rowsOf(db: Tx, day: number): Promise<number> {
  const { rows } = await db
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('at', '>=', day)
    .where('at', '<', day + dayMs)
    .executeTakeFirstOrThrow()
  return Number(rows)
}
