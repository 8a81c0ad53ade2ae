import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../dialect.ts'
import { dayMs } from '../../foundation/clock.ts'

/** Adds calls that are about to be removed to the counts of their days. */
export async function aggregateCalls(tx: Tx, table: string, condition: RawBuilder<unknown>): Promise<void> {
  const day = sql`at - at % ${sql.lit(dayMs)}`
  await sql`
    insert into usage_days (day, account_id, key_id, mode, kind, status, source, tag, calls, credits)
    select ${day}, account_id, key_id, mode, kind, status, coalesce(source, ''), coalesce(tag, ''),
      count(*) + coalesce(sum(repeats), 0), sum(credits)
    from ${sql.table(table)} where ${condition}
    group by ${day}, account_id, key_id, mode, kind, status, coalesce(source, ''), coalesce(tag, '')
    on conflict (day, account_id, key_id, mode, kind, status, source, tag)
    do update set calls = usage_days.calls + excluded.calls, credits = usage_days.credits + excluded.credits`.execute(
    tx,
  )
  // The sums of a day stay as they are; of its rows fewer are left.
  await sql`
    update summed_days set rows = summed_days.rows - removed.rows
    from (select ${day} as day, count(*) as rows from ${sql.table(table)} where ${condition} group by ${day}) as removed
    where summed_days.what = 'calls' and summed_days.day = removed.day`.execute(tx)
}
