import type { Database } from '../../database/dialect.ts'
import type { EntryKind } from '../../database/tables.ts'
import { findAccount, readBalance, type AccountName, type CreditBalance } from '../reports/account.ts'
import { spendDate } from '../decision/ledger-snapshot.ts'
import { lowestCeiling } from '../decision/spending-rules.ts'
import type { RemainingCredits } from '../settlement-requests.ts'

/** What an environment owns, what is held of it, and what is left. */
export async function creditBalance({ db }: Database, args: AccountName & { at: number }): Promise<CreditBalance> {
  return readBalance(db, await findAccount(db, args), args.at)
}

/** What a caller may still spend: the figures of the headers, for answers that settle nothing. */
export async function remainingCredits(
  { db }: Database,
  { accountId, keyId, at }: { accountId: number; keyId: string; at: number },
): Promise<RemainingCredits> {
  const { month, day } = spendDate(at)
  const row = await db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .leftJoin('key_months as month', (join) =>
      join.onRef('month.spend_id', '=', 'keys.spend_id').on('month.month', '=', month),
    )
    .leftJoin('key_months as day', (join) => join.onRef('day.spend_id', '=', 'keys.spend_id').on('day.month', '=', day))
    .select(['environments.balance', 'environments.held', 'keys.ceiling', 'keys.daily_ceiling'])
    .select(['month.captured as monthCaptured', 'month.held as monthHeld'])
    .select(['day.captured as dayCaptured', 'day.held as dayHeld'])
    .where('keys.id', '=', keyId)
    .where('environments.id', '=', accountId)
    .executeTakeFirst()
  if (!row) return { available: 0, ceilingRemaining: null, ceilingResetsAt: null }
  const ofMonth = (row.ceiling ?? Infinity) - (row.monthCaptured ?? 0) - (row.monthHeld ?? 0)
  const ofDay = (row.daily_ceiling ?? Infinity) - (row.dayCaptured ?? 0) - (row.dayHeld ?? 0)
  return { available: row.balance - row.held, ...lowestCeiling(ofMonth, ofDay, at) }
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
