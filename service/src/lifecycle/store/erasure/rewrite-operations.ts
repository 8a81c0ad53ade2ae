import type { Connection } from '../../../database/engine/dialect.ts'
import { takeLease, type Lease } from '../../../work/leases.ts'

/** Longer than most tables take. After a crash another node continues when it has ended. */
const leaseMs = 10 * 60_000

/** Claims the rewrite for one node; null if another one has it. */
export async function takeRewrite(connection: Connection, { holder }: { holder: string }): Promise<Lease | null> {
  return takeLease(connection, { name: 'rewrite', holder, held: null, leaseMs })
}

/** The rewrite that ends an erasure. */
export interface RewriteOf {
  hash: string
  isInProgress: boolean
  /** Null if no rewrite was needed. */
  since: number | null
  endedAt: number | null
}

/** The rewrites that end erasures, by the hashes of the erased names. */
export async function rewritesOf(
  { db, dialect }: Connection,
  { hashes }: { hashes: readonly string[] },
): Promise<RewriteOf[]> {
  if (hashes.length === 0) return []
  const rows = await db
    .selectFrom('suppressions')
    .leftJoin('rewrites', 'rewrites.number', 'suppressions.rewrite_number')
    .select(['hash', 'rewrite_number', 'since', 'ended_at'])
    .where('hash', 'in', hashes)
    .execute()
  return rows.map(({ hash, rewrite_number: number, since, ended_at: endedAt }) => ({
    hash,
    isInProgress: number === null,
    // A store that was moved from PostgreSQL has new files.
    since: dialect.hasMonths ? since : null,
    endedAt,
  }))
}
