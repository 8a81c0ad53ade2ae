import type { Database } from '../../database/dialect.ts'
import type { EntryKind } from '../../database/tables.ts'
import { balanceOf, findAccount, type AccountName, type CreditBalance } from '../reports/account.ts'
import { monthOf } from '../decision/ledger-snapshot.ts'
import type { RemainingCredits } from '../settlement-requests.ts'

/** What an environment owns, what is held of it, and what is left. */
export async function creditBalance({ db }: Database, args: AccountName): Promise<CreditBalance> {
  return balanceOf(await findAccount(db, args))
}

/** What a caller may still spend: the figures of the headers, for answers that settle nothing. */
export async function remainingCredits(
  { db }: Database,
  { accountId, keyId, at }: { accountId: number; keyId: string; at: number },
): Promise<RemainingCredits> {
  const row = await db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .leftJoin('key_months', (join) =>
      join.onRef('key_months.spend_id', '=', 'keys.spend_id').on('key_months.month', '=', monthOf(at)),
    )
    .select(['environments.balance', 'environments.held', 'keys.ceiling', 'key_months.captured'])
    .select('key_months.held as monthHeld')
    .where('keys.id', '=', keyId)
    .where('environments.id', '=', accountId)
    .executeTakeFirst()
  if (!row) return { available: 0, ceilingRemaining: null }
  const spent = (row.captured ?? 0) + (row.monthHeld ?? 0)
  const ceilingRemaining = row.ceiling === null ? null : Math.max(0, row.ceiling - spent)
  return { available: row.balance - row.held, ceilingRemaining }
}

export interface HistoryEntry {
  id: number
  at: number
  kind: EntryKind
  /** As entered: only an adjustment is signed, the kind says which way the others go. */
  amount: number
  /** For `capture`: the amount of the hold that ended with it. */
  heldAmount: number | null
  keyId: string | null
  month: string | null
  requestId: string | null
  reason: string | null
  actor: string | null
}

export interface HistoryArgs extends AccountName {
  limit: number
  /** The id of the last entry of the page before. */
  before?: number | null
}

/** The entries of an environment, newest first. */
export async function creditHistory({ db }: Database, args: HistoryArgs): Promise<HistoryEntry[]> {
  const account = await findAccount(db, args)
  const { before, limit } = args
  return db
    .selectFrom('ledger_entries')
    .select(['id', 'at', 'kind', 'amount', 'held_amount as heldAmount', 'key_id as keyId', 'month'])
    .select(['request_id as requestId', 'reason', 'actor'])
    .where('account_id', '=', account.id)
    .$if(typeof before === 'number', (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** When an account last paid for a record; null where it never did, or where repeats are not free. */
export async function paidAt(
  { db }: Database,
  { accountId, entityId }: { accountId: number; entityId: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('paid_records')
    .select('paid_at')
    .where('account_id', '=', accountId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst()
  return row?.paid_at ?? null
}
