import { sql } from 'kysely'
import type { Database, Tx } from '../../database/engine/dialect.ts'

/** The setting with the last position. Its row is also the lock for assigning positions. */
const lastPosition = 'events.position'
const atOnce = 500

/**
 * Assigns every committed event its position. On PostgreSQL a transaction may commit after others that began later, so
 * readers cannot go by id: a reader that has seen 7 would never see a 6 that commits later. Positions are assigned only
 * to committed rows, by one publisher at a time, so nothing appears behind a reader.
 */
export async function publishEvents(database: Database, { now }: { now: number }): Promise<{ published: number }> {
  let published = 0
  for (;;) {
    const waiting = await database.read(({ db }) =>
      // The order makes the engine use the index on these few rows; without it, it would read all events.
      db.selectFrom('events').select('id').where('position', 'is', null).orderBy('id').limit(1).executeTakeFirst(),
    )
    if (!waiting) return { published }
    published += await database.write(({ db }) => publishSome(db, now))
  }
}

async function publishSome(tx: Tx, now: number): Promise<number> {
  const last = await lockLast(tx)
  const rows = await tx
    .selectFrom('events')
    .select('id')
    .where('position', 'is', null)
    .orderBy('id')
    .limit(atOnce)
    .execute()
  if (rows.length === 0) return 0
  // Based on the clock, so that positions keep rising after an older backup is restored: readers keep their cursors.
  const first = Math.max(last + 1, now * 1_000)
  const places = rows.map(({ id }, index) => sql`(cast(${id} as bigint), cast(${first + index} as bigint))`)
  await sql`update events set position = v.column2 from (values ${sql.join(places)}) as v where id = v.column1`.execute(
    tx,
  )
  const value = String(first + rows.length - 1)
  await tx.updateTable('settings').set({ value }).where('name', '=', lastPosition).execute()
  return rows.length
}

/** The last assigned position, locked until the transaction ends. */
async function lockLast(tx: Tx): Promise<number> {
  const row = await tx
    .insertInto('settings')
    .values({ name: lastPosition, value: '0' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: sql`settings.value` }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(row.value)
}
