import { padded, selectIn } from '../../database/sql/bulk-rows.ts'
import type { Connection } from '../../database/dialect.ts'
import type { Lease, SettleRequest } from '../settlement-requests.ts'

/**
 * The requests of nodes whose work another node has taken over. A lease gets its next number under the lock of the same
 * account that a settlement holds, so whoever takes over sees all that was paid before, and nothing is paid after.
 */
export async function findSuperseded(
  statements: Connection,
  requests: readonly SettleRequest[],
): Promise<ReadonlySet<SettleRequest>> {
  const superseded = new Set<SettleRequest>()
  const findIn = async (table: Lease['of']) => {
    const leased = requests.filter(({ type, lease }) => type !== 'release' && lease?.of === table)
    if (leased.length === 0) return
    const newest = await newestLeases(statements, table, padded(leased.map(({ lease }) => lease?.id ?? '')))
    for (const request of leased)
      if (newest.get(request.lease?.id ?? '') !== request.lease?.number) superseded.add(request)
  }
  await Promise.all([findIn('batches'), findIn('watches')])
  return superseded
}

async function newestLeases(
  statements: Connection,
  table: Lease['of'],
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { db } = statements
  const rows = await selectIn(statements, `leases of ${table}`, [ids], () =>
    table === 'batches'
      ? db.selectFrom('batches').select(['public_id as id', 'lease']).where('public_id', 'in', ids)
      : db.selectFrom('watches').select(['id', 'lease']).where('id', 'in', ids),
  )
  return new Map(rows.map(({ id, lease }) => [id, lease]))
}
