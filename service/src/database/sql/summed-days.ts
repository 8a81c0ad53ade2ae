import { sql } from 'kysely'
import type { Connection, Tx } from '../dialect.ts'
import type { SummedDayRow } from '../tables/calls.ts'
import { dayMs } from '../../foundation/clock.ts'

const sumsLock = 7_184_237_003

/** Until the transaction ends, no other node writes day sums. */
export async function lockDaySums({ db, dialect }: Connection): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(sumsLock)})`.execute(db)
}

/** Records that a day has sums. `made` differs each time, so that concurrent readers notice a change. */
export async function noteSummedDay(db: Tx, row: SummedDayRow): Promise<void> {
  await sql`insert into summed_days (what, day, rows, sums, made)
    values (${row.what}, ${row.day}, ${row.rows}, ${row.sums}, ${row.made})
    on conflict (what, day) do update set rows = excluded.rows, sums = excluded.sums,
      made = case when excluded.made > summed_days.made then excluded.made else summed_days.made + 1 end`.execute(db)
}

/**
 * Deletes the sums of days from this one on: a clock that was ahead made them, and calls may still fall into these
 * days.
 */
export async function forgetSums(connection: Connection, { from }: { from: number }): Promise<number> {
  const { db } = connection
  const ahead = await db.selectFrom('summed_days').select('day').where('day', '>=', from).execute()
  if (ahead.length === 0) return 0
  await lockDaySums(connection)
  for (const table of ['summed_days', 'environment_days', 'key_days', 'provider_days'] as const)
    await db.deleteFrom(table).where('day', '>=', from).execute()
  return ahead.length
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
  const removed =
    what === 'calls'
      ? await db
          .selectFrom('usage_days')
          .select(({ fn }) => fn.max('day').as('day'))
          .where('day', '<', before)
          .executeTakeFirst()
      : undefined
  const at = Math.max(newest?.at ?? -1, removed?.day ?? -1)
  if (at < 0) return null
  const day = at - (at % dayMs)
  const noted = await db
    .selectFrom('summed_days')
    .select('rows')
    .where('what', '=', what)
    .where('day', '=', day)
    .executeTakeFirst()
  if (!noted) return { day, isSummed: false }
  return { day, isSummed: what === 'fetches' || (await rowsOf(db, day)) <= noted.rows }
}

/** A call that was written late, by a clock that was behind, is one row more than were counted. */
async function rowsOf(db: Tx, day: number): Promise<number> {
  const { rows } = await db
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('at', '>=', day)
    .where('at', '<', day + dayMs)
    .executeTakeFirstOrThrow()
  return Number(rows)
}
