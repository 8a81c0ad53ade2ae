import { sql } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import type { EntryKind } from '../../database/tables/credits.ts'
import { balanceChange } from '../store/verify-ledger.ts'
import { findEnvironment, type EnvironmentName } from '../store/balances.ts'

export interface HistoryEntry {
  id: number
  at: number
  kind: EntryKind
  /** The amount as entered: only adjustments are signed, for other kinds the kind implies the sign. */
  amount: number
  /** For `capture`: the amount of the hold that it ended. */
  heldAmount: number | null
  keyId: string | null
  month: string | null
  requestId: string | null
  reason: string | null
  actor: string | null
  /** The change of the balance. */
  change: number
  /** The balance afterwards; null in a list that omits entries. */
  balance: number | null
}

export interface HistoryArgs extends EnvironmentName {
  limit: number
  /** The id of the last entry of the previous page. */
  before?: number | null
  /** Only entries of these kinds. */
  kinds?: readonly EntryKind[] | null
  /** Only entries in this period; `until` is exclusive. */
  since?: number | null
  until?: number | null
}

/**
 * The entries of an environment, newest first. Balances are computed back from the current one, in the same statement.
 */
export async function creditHistory({ db }: Connection, args: HistoryArgs): Promise<HistoryEntry[]> {
  const environment = await findEnvironment(db, args)
  const { before = null, limit, kinds = null, since = null, until = null } = args
  const rows = await db
    .selectFrom('ledger_entries')
    .select(['id', 'at', 'kind', 'amount', 'held_amount as heldAmount', 'key_id as keyId', 'month'])
    .select(['request_id as requestId', 'reason', 'actor'])
    .select(balanceBefore(environment.id, before).as('top'))
    .where('account_id', '=', environment.id)
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .$if(kinds !== null, (query) => query.where('kind', 'in', [...(kinds ?? [])]))
    .$if(since !== null, (query) => query.where('at', '>=', since ?? 0))
    .$if(until !== null, (query) => query.where('at', '<', until ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  const isWhole = kinds === null && since === null && until === null
  let balance = Number(rows[0]?.top ?? 0)
  return rows.map((row) => {
    const { top: _, ...facts } = row
    const change = changeOf(row)
    const entry = { ...facts, change, balance: isWhole ? balance : null }
    balance -= change
    return entry
  })
}

/** The balance before this entry. */
function balanceBefore(environmentId: number, before: number | null) {
  const today = sql`(select balance from environments where id = ${environmentId})`
  if (before === null) return sql<number>`${today}`
  return sql<number>`${today} - (select coalesce(sum(${balanceChange}), 0) from ledger_entries
    where account_id = ${environmentId} and id >= ${before})`
}

function changeOf({ kind, amount }: { kind: EntryKind; amount: number }): number {
  if (kind === 'grant' || kind === 'adjustment') return amount
  return kind === 'charge' || kind === 'capture' ? -amount : 0
}
