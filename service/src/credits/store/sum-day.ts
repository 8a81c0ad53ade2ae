import { sql, type RawBuilder } from 'kysely'
import type { Connection, Database, Tx } from '../../database/engine/dialect.ts'
import { insertRows } from '../../database/sql/prepared.ts'
import { isFinal, lockDaySums, notedRows, noteSummedDay, rowsOf } from '../../database/sql/summed-days.ts'
import type { EnvironmentDayRow, KeyDayRow } from '../../database/tables/calls.ts'
import { dayMs, utcDay } from '../../foundation/clock.ts'
import { Durations } from '../../foundation/durations.ts'
import { durationStep } from '../../database/sql/expressions.ts'

type Count = Omit<KeyDayRow, 'day'> & { step: number | null; rows: number }

const rowsAtOnce = 5_000

/**
 * Sums the calls of a finished day. Returns whether it wrote the sums. It reads in short steps, because it runs beside
 * payments, and writes once; if calls were added or removed meanwhile, it writes nothing.
 */
export async function sumDay(database: Database, { day, now }: { day: number; now: number }): Promise<boolean> {
  const sums = new DaySums(day)
  for (let since: number | null = day; since !== null;) {
    const from: number = since
    const { counts, next } = await database.read(({ db }) => sliceOfDay(db, from, day + dayMs))
    for (const count of counts) sums.add(count)
    since = next
  }
  return database.write((connection) => writeSums(connection, sums, now))
}

/** The sums of one day: by key and tag, and by environment. */
class DaySums {
  readonly day: number
  readonly keys = new Map<string, KeyDayRow>()
  readonly environments = new Map<string, { row: EnvironmentDayRow; durations: Durations }>()
  /** The number of rows in the call log. */
  rows = 0

  constructor(day: number) {
    this.day = day
  }

  add({ step, rows, ...count }: Count): void {
    const { account_id, key_id, mode, kind, status, source, tag, calls, credits } = count
    const facts = { day: this.day, account_id, mode, kind, status, source }
    const key = JSON.stringify([account_id, key_id, mode, kind, status, source, tag])
    const ofKey = this.keys.get(key) ?? { ...facts, key_id, tag, calls: 0, credits: 0 }
    this.keys.set(key, { ...ofKey, calls: ofKey.calls + calls, credits: ofKey.credits + credits })
    const name = JSON.stringify([account_id, mode, kind, status, source])
    const none = { row: { ...facts, calls: 0, credits: 0, durations: '' }, durations: new Durations() }
    const { row, durations } = this.environments.get(name) ?? none
    durations.add(step, calls)
    const total = { ...row, calls: row.calls + calls, credits: row.credits + credits }
    this.environments.set(name, { row: total, durations })
    this.rows += rows
  }
}

async function sliceOfDay(db: Tx, since: number, until: number): Promise<{ counts: Count[]; next: number | null }> {
  const inDay = db.selectFrom('calls').where('at', '>=', since).where('at', '<', until)
  const end = await inDay.select('at').orderBy('at').limit(1).offset(rowsAtOnce).executeTakeFirst()
  const next = end ? Math.max(end.at, since + 1) : null
  const { rows } = await sql<Count>`
    select account_id, key_id, mode, kind, status, coalesce(source, '') as source, coalesce(tag, '') as tag,
      ${durationStep} as step, count(*) as rows, count(*) + coalesce(sum(repeats), 0) as calls, sum(credits) as credits
    from calls where at >= ${since} and at < ${next ?? until}
    group by 1, 2, 3, 4, 5, 6, 7, 8`.execute(db)
  return {
    counts: rows.map((row) => ({
      ...row,
      calls: Number(row.calls),
      credits: Number(row.credits),
      rows: Number(row.rows),
    })),
    next,
  }
}

const environmentDays = {
  table: 'environment_days',
  columns: ['day', 'account_id', 'mode', 'kind', 'status', 'source', 'calls', 'credits', 'durations'],
  put: (row: EnvironmentDayRow, values: (string | number | null)[]) =>
    void values.push(
      ...[row.day, row.account_id, row.mode, row.kind, row.status, row.source],
      ...[row.calls, row.credits, row.durations],
    ),
} as const
const keyDays = {
  table: 'key_days',
  columns: ['day', 'account_id', 'key_id', 'mode', 'kind', 'status', 'source', 'tag', 'calls', 'credits'],
  put: (row: KeyDayRow, values: (string | number | null)[]) =>
    void values.push(
      ...[row.day, row.account_id, row.key_id, row.mode, row.kind, row.status, row.source, row.tag],
      ...[row.calls, row.credits],
    ),
} as const

async function writeSums(connection: Connection, sums: DaySums, now: number): Promise<boolean> {
  const { db } = connection
  const { day } = sums
  await lockDaySums(connection)
  const noted = await notedRows(db, 'calls', day)
  if (isFinal(noted ?? 0) || (await rowsOf(db, day)) !== sums.rows) return false
  await db.deleteFrom('environment_days').where('day', '=', day).execute()
  await db.deleteFrom('key_days').where('day', '=', day).execute()
  const environments = [...sums.environments.values()].map(({ row, durations }) => ({
    ...row,
    durations: durations.text,
  }))
  await insertRows(connection, environmentDays, environments)
  await insertRows(connection, keyDays, [...sums.keys.values()])
  await noteSummedDay(db, { what: 'calls', day, rows: sums.rows, sums: sums.keys.size, made: now })
  return true
}

interface Totals {
  day: number
  calls: number
  credits: number
}

/** Compares the totals of all summed days: the sum tables with each other, and with the calls unless retention removes them. */
export async function compareDaySums(
  tx: Tx,
): Promise<{ what: string; expected: number | null; actual: number | null }[]> {
  const notes = await tx.selectFrom('summed_days').select(['day', 'rows']).where('what', '=', 'calls').execute()
  const final = new Set(notes.filter(({ rows }) => isFinal(rows)).map(({ day }) => day))
  const total = (from: RawBuilder<unknown>) =>
    sql<Totals>`select day, sum(calls) as calls, sum(credits) as credits from ${from}
      where day in (select day from summed_days where what = 'calls') group by day`
      .execute(tx)
      .then(({ rows }) => new Map(rows.map((row) => [Number(row.day), row])))
  const counted = await total(sql`(
    select at - at % ${sql.lit(dayMs)} as day, 1 + coalesce(repeats, 0) as calls, credits from calls) as counted`)
  const byKey = await total(sql`key_days`)
  const byEnvironment = await total(sql`environment_days`)
  return [...new Set([...counted.keys(), ...byKey.keys(), ...byEnvironment.keys()])].flatMap((day) =>
    [['keys', byKey] as const, ['environments', byEnvironment] as const].flatMap(([name, sums]) =>
      (['calls', 'credits'] as const)
        .map((figure) => ({
          what: `${figure} of ${utcDay(day)} in the sums by ${name}`,
          expected: Number((final.has(day) ? byKey : counted).get(day)?.[figure] ?? 0),
          actual: Number(sums.get(day)?.[figure] ?? 0),
        }))
        .filter(({ expected, actual }) => expected !== actual),
    ),
  )
}
