import type { Connection, Database } from '../../database/engine/dialect.ts'
import type { ReleaseRequest } from '../decision/settlement-requests.ts'
import { settle } from './settle.ts'

const holdsAtOnce = 500

/**
 * Releases holds of dead processes with their idempotency records: expired ones, or at the start of the embedded engine
 * all of them. A hold that expires further ahead than `longestMs` was written by a wrong clock.
 */
export async function releaseHolds(
  database: Database,
  { at, all, longestMs = Infinity }: { at: number; all: boolean; longestMs?: number },
): Promise<{ released: number }> {
  const farthest = Math.min(at + longestMs, Number.MAX_SAFE_INTEGER)
  let released = 0
  let last = ''
  for (;;) {
    const rows = await database.read(({ db }) =>
      db
        .selectFrom('holds')
        .select(['id', 'key_id', 'account_id'])
        .where('id', '>', last)
        .$if(!all, (query) =>
          query.where(({ or, eb }) => or([eb('expires_at', '<=', at), eb('expires_at', '>', farthest)])),
        )
        .orderBy('id')
        .limit(holdsAtOnce)
        .execute(),
    )
    const newest = rows.at(-1)
    if (!newest) return { released }
    last = newest.id
    // A hold that ends between the two steps is not found again, and its release does nothing.
    const requests = rows.map((row): ReleaseRequest => ({
      type: 'release',
      requestId: row.id,
      keyId: row.key_id,
      environmentId: row.account_id,
      at,
      idempotency: null,
    }))
    // A locked environment must not keep the others of this batch locked: its holds are released next time.
    const release = { requests, wait: false }
    const outcomes = await database.share({ durability: 'with the next' }, (connection) => settle(connection, release))
    released += outcomes.filter(({ outcome }) => outcome !== 'busy').length
  }
}

/** Extends the hold of a running call and its running idempotency record. */
export async function extendHold(
  { db }: Connection,
  {
    id,
    expiresAt,
    idempotency,
  }: { id: string; expiresAt: number; idempotency: { environmentId: number; hash: string } | null },
): Promise<void> {
  await db.updateTable('holds').set({ expires_at: expiresAt }).where('id', '=', id).execute()
  if (!idempotency) return
  await db
    .updateTable('idempotency')
    .set({ expires_at: expiresAt })
    .where('account_id', '=', idempotency.environmentId)
    .where('hash', '=', idempotency.hash)
    .where('request_id', '=', id)
    .where('state', '=', 'running')
    .execute()
}

/** Deletes expired idempotency records. */
export async function pruneIdempotency(
  { db }: Connection,
  { before }: { before: number },
): Promise<{ pruned: number }> {
  const result = await db.deleteFrom('idempotency').where('expires_at', '<=', before).executeTakeFirst()
  return { pruned: Number(result.numDeletedRows) }
}
