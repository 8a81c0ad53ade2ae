import type { Connection } from '../../database/dialect.ts'
import {
  accountSpendId,
  idempotencyRecordKey,
  paidKey,
  periodKey,
  spendDate,
  usualAlerts,
  type Account,
  type LedgerSnapshot,
  type Hold,
  type IdempotencyRecord,
  type PaidRecord,
  type PayingKey,
  type SpendPeriod,
} from '../decision/ledger-snapshot.ts'
import { isStatementTimeout, lockTimeout } from '../../database/lost-connection.ts'
import type { SettleRequest } from '../settlement-requests.ts'
import { padded, selectIn } from '../../database/sql/bulk-rows.ts'

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
  if (isBounded) await statements.db.run(`set local statement_timeout = ${lockWithinMs}`, [])
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
  const rows = await (isBounded ? selected.catch(asLockTimeout) : selected)
  if (isBounded) await statements.db.run('set local statement_timeout to default', [])
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

/** Nothing was done before the lock, so a statement that ran out of time only says that the lock did not come. */
function asLockTimeout(error: unknown): never {
  throw isStatementTimeout(error) ? lockTimeout('an account stayed locked', error) : error
}

/** Reads all that deciding on the requests needs, of accounts that are locked. */
export async function readLedger(
  statements: Connection,
  accounts: ReadonlyMap<number, Account>,
  requests: readonly SettleRequest[],
): Promise<LedgerSnapshot> {
  const keys = await readKeys(statements, requests)
  const holds = await readHolds(statements, requests)
  const periods = await readPeriods(statements, requests, accounts, keys, holds)
  const idempotencyRecords = await readIdempotencyRecords(statements, requests, holds)
  const paid = await readPaid(statements, requests)
  return { accounts, keys, holds, periods, idempotencyRecords, paid }
}

async function readKeys(statements: Connection, requests: readonly SettleRequest[]): Promise<Map<string, PayingKey>> {
  const ids = padded(requests.map((request) => request.keyId))
  if (ids.length === 0) return new Map()
  const rows = await selectIn(statements, 'keys', [ids], () =>
    statements.db
      .selectFrom('keys')
      .select(['id', 'environment_id', 'spend_id', 'ceiling', 'daily_ceiling', 'days_from', 'expires_at', 'revoked_at'])
      .where('id', 'in', ids),
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        accountId: row.environment_id,
        spendId: row.spend_id,
        ceiling: row.ceiling,
        dailyCeiling: row.daily_ceiling,
        daysFrom: row.days_from,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
      },
    ]),
  )
}

async function readHolds(statements: Connection, requests: readonly SettleRequest[]): Promise<Map<string, Hold>> {
  const ids = padded(
    requests.filter(({ type }) => type !== 'charge' && type !== 'check').map((request) => request.requestId),
  )
  if (ids.length === 0) return new Map()
  const rows = await selectIn(statements, 'holds', [ids], () =>
    statements.db.selectFrom('holds').selectAll().where('id', 'in', ids),
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        accountId: row.account_id,
        keyId: row.key_id,
        spendId: row.spend_id,
        month: row.month,
        amount: row.amount,
        placedAt: row.placed_at,
        expiresAt: row.expires_at,
        idempotencyHash: row.idempotency_hash,
      },
    ]),
  )
}

/** The months and days that are paid from, and the current ones, which the answers' headers speak of. */
async function readPeriods(
  statements: Connection,
  requests: readonly SettleRequest[],
  accounts: ReadonlyMap<number, Account>,
  keys: ReadonlyMap<string, PayingKey>,
  holds: ReadonlyMap<string, Hold>,
): Promise<Map<string, SpendPeriod>> {
  const spendIds = new Set<string>()
  const periods = new Set<string>()
  let byDay = false
  for (const { id, budget } of accounts.values()) if (budget !== null) spendIds.add(accountSpendId(id))
  for (const { spendId, daysFrom } of keys.values()) {
    spendIds.add(spendId)
    byDay ||= daysFrom !== null
  }
  const dates = new Set(requests.map(({ at }) => spendDate(at)))
  for (const { spendId, placedAt } of holds.values()) {
    spendIds.add(spendId)
    dates.add(spendDate(placedAt))
  }
  for (const { month, day } of dates) {
    periods.add(month)
    if (byDay) periods.add(day)
  }
  if (spendIds.size === 0) return new Map()
  const lists = [padded(spendIds), padded(periods)] as const
  const rows = await selectIn(statements, 'periods', lists, () =>
    statements.db
      .selectFrom('spend_periods')
      .selectAll()
      .where('spend_id', 'in', lists[0])
      .where('period', 'in', lists[1]),
  )
  return new Map(
    rows.map(
      ({
        spend_id: spendId,
        period,
        captured,
        held,
        near_notified: nearNotified,
        reached_notified: reachedNotified,
      }) => [periodKey(spendId, period), { spendId, period, captured, held, nearNotified, reachedNotified }],
    ),
  )
}

async function readIdempotencyRecords(
  statements: Connection,
  requests: readonly SettleRequest[],
  holds: ReadonlyMap<string, Hold>,
): Promise<Map<string, IdempotencyRecord>> {
  const accountIds = new Set<number>()
  const hashes = new Set<string>()
  const want = (accountId: number, hash: string | null | undefined): void => {
    if (hash === null || hash === undefined) return
    accountIds.add(accountId)
    hashes.add(hash)
  }
  for (const { accountId, idempotency } of requests) want(accountId, idempotency?.hash)
  for (const { accountId, idempotencyHash } of holds.values()) want(accountId, idempotencyHash)
  if (hashes.size === 0) return new Map()
  const lists = [padded(accountIds), padded(hashes)] as const
  const rows = await selectIn(statements, 'idempotency', lists, () =>
    statements.db
      .selectFrom('idempotency')
      .selectAll()
      .where('account_id', 'in', lists[0])
      .where('hash', 'in', lists[1]),
  )
  return new Map(
    rows.map((row) => [
      idempotencyRecordKey(row.account_id, row.hash),
      {
        accountId: row.account_id,
        hash: row.hash,
        fingerprint: row.fingerprint,
        state: row.state,
        requestId: row.request_id,
        versionId: row.version_id,
        source: row.source,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      },
    ]),
  )
}

async function readPaid(statements: Connection, requests: readonly SettleRequest[]): Promise<Map<string, PaidRecord>> {
  const accountIds = new Set<number>()
  const entityIds = new Set<number>()
  for (const request of requests) {
    if (request.type !== 'charge' && request.type !== 'capture') continue
    if (request.repeatFreeSince === null || request.call.entityId === null) continue
    accountIds.add(request.accountId)
    entityIds.add(request.call.entityId)
  }
  if (entityIds.size === 0) return new Map()
  const lists = [padded(accountIds), padded(entityIds)] as const
  const rows = await selectIn(statements, 'paid', lists, () =>
    statements.db
      .selectFrom('paid_records')
      .selectAll()
      .where('account_id', 'in', lists[0])
      .where('entity_id', 'in', lists[1]),
  )
  return new Map(
    rows.map(({ account_id, entity_id, paid_at }) => [
      paidKey(account_id, entity_id),
      { accountId: account_id, entityId: entity_id, paidAt: paid_at },
    ]),
  )
}
