import { sql } from 'kysely'
import type { Dialect, Tx, Connection } from '../../database/engine/dialect.ts'
import { isFree } from '../../work/leases.ts'
import { firstRefreshesApartMs } from './add-watches.ts'
import { dayMs } from '../../foundation/clock.ts'

interface Due {
  id: string
  account_id: number
}

/**
 * The oldest due watches of each environment, at most `limit` per environment. It reads an index, however many are due.
 */
export async function dueOfEach(
  tx: Tx,
  dialect: Dialect,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<Due[]> {
  const oldest = sql`select due.id from watches as due where due.account_id = owners.account_id and due.paused is null
    and due.next_due <= ${now} and ${isFree(dialect, 'watches', { leaseMs, now })}
    order by due.next_due limit ${limit}`
  const { rows } = await sql<Due>`with recursive owners (account_id) as (
      select min(account_id) from watches where paused is null
      union all select (select min(account_id) from watches where paused is null and account_id > owners.account_id)
      from owners where owners.account_id is not null)
    select watches.id, watches.account_id from owners ${dialect.joinSelected('watches', oldest)}
    where owners.account_id is not null order by watches.next_due, watches.id`.execute(tx)
  return rows
}

/**
 * Makes watches due whose time is later than possible: they were written while the clock was ahead. A refresh is due at
 * most 1.5 intervals after the last one, and a first refresh follows the others of its environment.
 */
export async function bringBackWatches({ db }: Connection, { now }: { now: number }): Promise<void> {
  const idle = db.updateTable('watches').set({ next_due: now }).where('claimed_until', '<=', now)
  await idle
    .where('looked_at', 'is not', null)
    .where(sql<number>`next_due - cast(every_days as bigint) * ${sql.lit(2 * dayMs)}`, '>', now)
    .execute()
  const waiting = await db
    .selectFrom('watches')
    .select((eb) => ['account_id', eb.fn.countAll<number>().as('count'), eb.fn.max('next_due').as('last')])
    .where('looked_at', 'is', null)
    .groupBy('account_id')
    .execute()
  for (const { account_id: environmentId, count, last } of waiting) {
    const farthest = now + 2 * Number(count) * firstRefreshesApartMs
    if (last <= farthest) continue
    await idle
      .where('looked_at', 'is', null)
      .where('account_id', '=', environmentId)
      .where('next_due', '>', farthest)
      .execute()
  }
}
