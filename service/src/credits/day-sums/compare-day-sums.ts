import { sql } from 'kysely'
import type { Tx } from '../../database/dialect.ts'
import { dayMs, utcDay } from '../../foundation/clock.ts'

interface Totals {
  day: number
  calls: number
  credits: number
}

/** What the days that have sums come to: counted call by call, and in each of the two tables of sums. */
export async function compareDaySums(
  tx: Tx,
): Promise<{ what: string; expected: number | null; actual: number | null }[]> {
  const summed = sql`(select day from summed_days where what = 'calls')`
  const total = (from: ReturnType<typeof sql>) =>
    sql<Totals>`select day, sum(calls) as calls, sum(credits) as credits from ${from} where day in ${summed} group by day`
      .execute(tx)
      .then(({ rows }) => new Map(rows.map((row) => [Number(row.day), row])))
  const counted = await total(sql`(
    select at - at % ${sql.lit(dayMs)} as day, 1 + coalesce(repeats, 0) as calls, credits from calls
    union all select day, calls, credits from usage_days) as counted`)
  const byKey = await total(sql`key_days`)
  const byEnvironment = await total(sql`environment_days`)
  return [...new Set([...counted.keys(), ...byKey.keys(), ...byEnvironment.keys()])].flatMap((day) =>
    [['keys', byKey] as const, ['environments', byEnvironment] as const].flatMap(([name, sums]) =>
      (['calls', 'credits'] as const)
        .map((figure) => ({
          what: `${figure} of ${utcDay(day)} in the sums by ${name}`,
          expected: Number(counted.get(day)?.[figure] ?? 0),
          actual: Number(sums.get(day)?.[figure] ?? 0),
        }))
        .filter(({ expected, actual }) => expected !== actual),
    ),
  )
}
