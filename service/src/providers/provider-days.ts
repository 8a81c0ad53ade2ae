import type { Connection, Database } from '../database/engine/dialect.ts'
import { lockDaySums, noteSummedDay } from '../database/sql/summed-days.ts'
import type { ProviderDayRow } from '../database/tables/providers.ts'
import { dayMs } from '../foundation/clock.ts'
import { type CallSlice, type ProviderCalls, providerCallSlice } from './call-slice.ts'
import { addFills, countFills, noteFills } from './fill-days.ts'

const rowsAtOnce = 5_000

/**
 * Sums the provider calls of a finished day and what they filled; returns whether it wrote the sums. A day is summed
 * once: calls that retention and erasures remove later were still paid for.
 */
export async function sumProviderDay(database: Database, { day, now }: { day: number; now: number }): Promise<boolean> {
  const sums = new Map<string, ProviderDayRow>()
  let fills: Awaited<ReturnType<typeof countFills>> = []
  for (let before: number | null = day + dayMs; before !== null;) {
    const slice: CallSlice = await sliceOf(database, day, before)
    for (const count of slice.counts) addTo(sums, day, count)
    const span = { since: slice.next ?? day, until: before }
    fills = addFills([...fills, ...(await database.read((connection) => countFills(connection, span)))])
    before = slice.next
  }
  return database.write(async (connection) => {
    await lockDaySums(connection)
    const { db } = connection
    const noted = db.selectFrom('summed_days').select('day').where('what', '=', 'fetches').where('day', '=', day)
    if (await noted.executeTakeFirst()) return false
    if (sums.size > 0)
      await db
        .insertInto('provider_days')
        .values([...sums.values()])
        .execute()
    await noteFills(connection, { day, at: now, fills })
    await noteSummedDay(db, { what: 'fetches', day, rows: 0, sums: sums.size, made: now })
    return true
  })
}

function sliceOf(database: Database, since: number, until: number): Promise<CallSlice> {
  return database.read((connection) => providerCallSlice(connection, { since, until, rows: rowsAtOnce, sample: 0 }))
}

function addTo(sums: Map<string, ProviderDayRow>, day: number, count: ProviderCalls): void {
  const { provider, kind, outcome, calls, cost, costed, requests } = count
  const name = JSON.stringify([provider, kind, outcome])
  const sum = sums.get(name) ?? { day, provider, kind, outcome, calls: 0, cost: 0, costed: 0, requests: 0 }
  sums.set(name, {
    ...sum,
    calls: sum.calls + calls,
    cost: sum.cost + cost,
    costed: sum.costed + costed,
    requests: sum.requests + requests,
  })
}

/** The sums of whole days in a period, and the days, in order of time. */
export async function providerDays(
  { db }: Connection,
  { since, until }: { since: number; until: number },
): Promise<{ days: number[]; counts: ProviderCalls[] }> {
  const whole = db
    .selectFrom('summed_days')
    .select('day')
    .where('what', '=', 'fetches')
    .where('day', '>=', since)
    .where('day', '<=', until - dayMs)
  const days = (await whole.orderBy('day').execute()).map(({ day }) => day)
  const rows = await db
    .selectFrom('provider_days')
    .select(['provider', 'kind', 'outcome'])
    .select(({ fn }) => [fn.sum<number>('calls').as('calls'), fn.sum<number>('cost').as('cost')])
    .select(({ fn }) => [fn.sum<number>('costed').as('costed'), fn.sum<number>('requests').as('requests')])
    .where('day', 'in', whole)
    .groupBy(['provider', 'kind', 'outcome'])
    .execute()
  const counts = rows.map((row) => ({
    ...row,
    thin: null,
    step: null,
    calls: Number(row.calls),
    cost: Number(row.cost),
    costed: Number(row.costed),
    requests: Number(row.requests),
  }))
  return { days, counts }
}
