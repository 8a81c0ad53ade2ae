import type { Connection } from '../../database/dialect.ts'
import { isStatementTimeout, lockTimeout } from '../../database/lost-connection.ts'
import { padded, selectIn } from '../../database/sql/bulk-rows.ts'
import { usualAlerts, type Account } from '../decision/ledger-snapshot.ts'
import type { SettleRequest } from '../settlement-requests.ts'

/** How long a settlement waits for its account. Longer than the server lets a frozen node keep it. */
const lockWithinMs = 2_000

/**
 * Locks the accounts of the requests. Everything else in the ledger belongs to one account and is only written by who has
 * locked it, so the accounts are the only locks. Without `wait` those that others have locked are left out.
 */
export async function lockAccounts(
  statements: Connection,
  requests: readonly SettleRequest[],
  wait: boolean,
): Promise<Map<number, Account>> {
  const list = padded(requests.map((request) => request.accountId))
  // A row that several wait for is locked in two steps, and `lock_timeout` counts each of them alone.
  const isBounded = wait && statements.dialect === 'postgres'
  const limited = isBounded && statements.db.send(`set local statement_timeout = ${lockWithinMs}`, [])
  const selected = selectIn(statements, wait ? 'accounts' : 'free accounts', [list], () =>
    statements.db
      .selectFrom('environments')
      .innerJoin('projects', 'projects.name', 'environments.project')
      .select(['environments.id', 'balance', 'held', 'monthly_budget', 'suspended', 'billing_blocked'])
      .select(['alert_credits_below', 'alert_ceiling_percent', 'low_told'])
      .where('environments.id', 'in', list)
      .orderBy('environments.id')
      .$if(statements.dialect === 'postgres', (query) => query.forUpdate('environments'))
      .$if(statements.dialect === 'postgres' && !wait, (query) => query.skipLocked()),
  )
  const unlimited = isBounded && statements.db.send('set local statement_timeout to default', [])
  const [rows] = await Promise.all([selected, limited, unlimited])
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        balance: row.balance,
        held: row.held,
        budget: row.monthly_budget,
        suspended: row.suspended !== 0,
        billingBlocked: row.billing_blocked !== 0,
        lowBelow: row.alert_credits_below ?? usualAlerts.lowBelow,
        lowNotified: row.low_told !== 0,
        nearPercent: row.alert_ceiling_percent ?? usualAlerts.nearPercent,
      },
    ]),
  )
}

/** Nothing is done before the lock, so a statement that ran out of time only says that the lock did not come. */
export function asLockTimeout(error: unknown): never {
  throw isStatementTimeout(error) ? lockTimeout('an account stayed locked', error) : error
}
