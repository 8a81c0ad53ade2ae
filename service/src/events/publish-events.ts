import { sql } from 'kysely'
import type { Database, Tx } from '../database/dialect.ts'

/** The setting that holds the last position. Its row is also the lock under which positions are given. */
const lastPosition = 'events.position'
const atOnce = 500

/**
 * Gives every committed event its place in the order of reading. On PostgreSQL a transaction may commit after others that
 * began later, so the order of ids is no order to read by: who has read up to 7 would never see a 6 that commits now.
 * A position is given only to rows that are committed, by one publisher at a time, so nothing appears behind a reader.
 */
export async function publishEvents(database: Database, { now }: { now: number }): Promise<{ published: number }> {
  let published = 0
  for (;;) {
    const waiting = await database.read(({ db }) =>
      // The order lets the engine find the index of these few; without it all events would be read through.
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
  // By the clock, so that positions go on rising after an older backup was restored: readers keep their cursors.
  const first = Math.max(last + 1, now * 1_000)
  const places = rows.map(({ id }, index) => sql`(cast(${id} as bigint), cast(${first + index} as bigint))`)
  await sql`update events set position = v.column2 from (values ${sql.join(places)}) as v where id = v.column1`.execute(
    tx,
  )
  const value = String(first + rows.length - 1)
  await tx.updateTable('settings').set({ value }).where('name', '=', lastPosition).execute()
  return rows.length
}

/** The last position that was given, locked until the transaction ends. */
async function lockLast(tx: Tx): Promise<number> {
  const row = await tx
    .insertInto('settings')
    .values({ name: lastPosition, value: '0' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: sql`settings.value` }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return Number(row.value)
}
