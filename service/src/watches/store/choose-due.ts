import { sql } from 'kysely'
import type { Dialect, Tx, Connection } from '../../database/dialect.ts'
import { firstRefreshesApartMs } from './add-watches.ts'
import { dayMs } from '../../foundation/clock.ts'

/** The number of refreshes in progress on this node, per environment. */
export type RunningRefreshes = readonly { environmentId: number; refreshes: number }[]

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
  // Claimed for longer than a lease can last: the clock was set back since then. The fencing number stops what its node
  // still does.
  const oldest = sql`select due.id from watches as due where due.account_id = owners.account_id and due.paused is null
    and due.next_due <= ${now} and (due.claimed_until <= ${now} or due.claimed_until > ${now + 2 * leaseMs})
    order by due.next_due limit ${limit}`
  const ofOwners =
    dialect === 'postgres'
      ? sql`cross join lateral (${oldest}) as own join watches on watches.id = own.id`
      : sql`join watches on watches.id in (${oldest})`
  const { rows } = await sql<Due>`with recursive owners (account_id) as (
      select min(account_id) from watches where paused is null
      union all select (select min(account_id) from watches where paused is null and account_id > owners.account_id)
      from owners where owners.account_id is not null)
    select watches.id, watches.account_id from owners ${ofOwners}
    where owners.account_id is not null order by watches.next_due`.execute(tx)
  return rows
}

/**
 * Chooses whose refreshes begin: the environment with the fewest in progress, and its oldest due watch. An environment
 * gets at most three times as many slots as are free, as at a provider: however slow its refreshes are, another's next
 * one finds a slot.
 */
export function chooseFairly(due: readonly Due[], running: RunningRefreshes, free: number): Due[] {
  const taken = new Map(running.map(({ environmentId, refreshes }) => [environmentId, refreshes]))
  const takenBy = (environmentId: number) => taken.get(environmentId) ?? 0
  const chosen: Due[] = []
  const waiting = Map.groupBy(due, ({ account_id }) => account_id)
  for (let left = free; left > 0; left--) {
    const [environmentId] = [...waiting.keys()]
      .filter((id) => takenBy(id) === 0 || takenBy(id) < 3 * left)
      .toSorted((a, b) => takenBy(a) - takenBy(b))
    const next = environmentId === undefined ? undefined : waiting.get(environmentId)?.shift()
    if (environmentId === undefined || !next) break
    chosen.push(next)
    taken.set(environmentId, takenBy(environmentId) + 1)
    if (waiting.get(environmentId)?.length === 0) waiting.delete(environmentId)
  }
  return chosen
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
