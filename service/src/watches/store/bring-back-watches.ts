import { sql } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import { firstLooksApartMs } from './add-watches.ts'
import { dayMs } from '../../foundation/clock.ts'

/**
 * Makes watches due that are due later than they can be: they were written while the clock was ahead. A look follows the
 * last one after an interval and a half at most, and a first look the others of its environment.
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
  for (const { account_id: accountId, count, last } of waiting) {
    const farthest = now + 2 * Number(count) * firstLooksApartMs
    if (last <= farthest) continue
    await idle
      .where('looked_at', 'is', null)
      .where('account_id', '=', accountId)
      .where('next_due', '>', farthest)
      .execute()
  }
}
