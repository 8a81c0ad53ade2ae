import { sql } from 'kysely'
import type { Connection, Dialect, Tx } from '../../../database/dialect.ts'
import { databaseTime } from '../../../database/sql/expressions.ts'

const leaseName = 'webhooks'

/** The lease of the sender, which one process holds at a time. Taking it over raises its fencing number. */
export interface SenderLease {
  holder: string
  number: number
}

/**
 * The number of the lease; null if another process holds it. If it is not wanted and nobody holds it, it stays free.
 */
export async function takeLease(
  { db, dialect }: Connection,
  { holder, leaseMs }: { holder: string; leaseMs: number },
  wanted: boolean,
): Promise<number | null> {
  const now = databaseTime(dialect)
  const lease = await db
    .selectFrom('leases')
    .select(['holder', 'number', sql<number>`expires_at - ${now}`.as('left_ms')])
    .where('name', '=', leaseName)
    .executeTakeFirst()
  // A lease written before the database's clock was set back counts no longer than a lease can last.
  const leftMs = Number(lease?.left_ms ?? 0) > 2 * leaseMs ? 0 : Number(lease?.left_ms ?? 0)
  if (lease && lease.holder !== holder && leftMs > 0) return null
  if (lease?.holder === holder && leftMs > leaseMs / 2) return lease.number
  if (!wanted) return 0
  const until = sql<number>`${now} + ${sql.lit(leaseMs)}`
  const tooFar = sql<number>`${now} + ${sql.lit(2 * leaseMs)}`
  const taken = await db
    .insertInto('leases')
    .values({ name: leaseName, holder, expires_at: until, number: 1 })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({
          holder,
          expires_at: until,
          number: sql<number>`leases.number + case when leases.holder = excluded.holder then 0 else 1 end`,
        })
        .where((eb) =>
          eb.or([
            eb('leases.holder', '=', holder),
            eb('leases.expires_at', '<=', now),
            eb('leases.expires_at', '>', tooFar),
          ]),
        ),
    )
    .returning('number')
    .executeTakeFirst()
  return taken?.number ?? null
}

/**
 * Releases the lease, so that another process need not wait for its end. The row stays, so that numbers keep rising.
 */
export async function endWebhookLease({ db }: Connection, { holder }: { holder: string }): Promise<void> {
  const own = db.updateTable('leases').where('name', '=', leaseName).where('holder', '=', holder)
  await own.set({ expires_at: 0 }).execute()
}

/** Whether a lease is still the newest. It stays so until the asking transaction ends. */
export async function isNewest(tx: Tx, dialect: Dialect, { holder, number }: SenderLease): Promise<boolean> {
  const row = await tx
    .selectFrom('leases')
    .select('name')
    .where('name', '=', leaseName)
    .where('holder', '=', holder)
    .where('number', '=', number)
    .$if(dialect === 'postgres', (query) => query.forShare())
    .executeTakeFirst()
  return row !== undefined
}
