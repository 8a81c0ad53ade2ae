import { sql } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import {
  environmentSpendId,
  environmentSpendPrefix,
  idempotencyRecordKey,
  paidKey,
  periodKey,
  spendDate,
  type Hold,
  type IdempotencyRecord,
  type LedgerSnapshot,
  type PaidRecord,
  type PayingKey,
  type SpendPeriod,
} from '../decision/ledger-snapshot.ts'
import type { SettleRequest } from '../decision/settlement-requests.ts'
import { revokedFrom, padded, selectIn } from '../../database/sql/prepared.ts'

/**
 * Reads everything needed to decide on the requests, for locked environments. All reads are sent at once, on PostgreSQL
 * in one round trip with the lock. Only a hold of another day, key or idempotency record needs a second step.
 */
export async function readLedger(
  statements: Connection,
  requests: readonly SettleRequest[],
): Promise<Omit<LedgerSnapshot, 'environments'>> {
  const dates = periodsAt(requests.map(({ at }) => at))
  const named = requests.map(({ environmentId, idempotency }) => ({ environmentId, hash: idempotency?.hash ?? null }))
  const [{ keys, periods }, holds, idempotencyRecords, paid] = await Promise.all([
    readKeys(statements, requests, dates),
    readHolds(statements, requests),
    readIdempotencyRecords(statements, named),
    readPaid(statements, requests),
  ])
  if (holds.size > 0) {
    const asked = new Set(named.map(({ environmentId, hash }) => `${environmentId} ${hash}`))
    const unread = [...holds.values()]
      .map(({ environmentId, idempotencyHash: hash }) => ({ environmentId, hash }))
      .filter(({ environmentId, hash }) => !asked.has(`${environmentId} ${hash}`))
    const [others, running] = await Promise.all([
      readPeriods(
        statements,
        keys,
        [...holds.values()].filter((hold) => !isRead(hold, keys, dates)),
      ),
      readIdempotencyRecords(statements, unread),
    ])
    for (const [name, period] of others) periods.set(name, period)
    for (const [name, record] of running) idempotencyRecords.set(name, record)
  }
  return { keys, holds, periods, idempotencyRecords, paid }
}

const ofEnvironment = sql<string>`${sql.lit(environmentSpendPrefix)} || keys.environment_id`

/** The keys, and the spending of the keys and their environments in the months and days of the requests. */
async function readKeys(
  statements: Connection,
  requests: readonly SettleRequest[],
  dates: string[],
): Promise<{ keys: Map<string, PayingKey>; periods: Map<string, SpendPeriod> }> {
  const lists = [dates, padded(requests.map(({ keyId }) => keyId))] as const
  const rows = await selectIn(statements, 'keys', lists, () =>
    statements.db
      .selectFrom('keys')
      .leftJoin('spend_periods as spent', (join) =>
        join
          .on('spent.spend_id', 'in', sql<string>`(keys.spend_id, ${ofEnvironment})`)
          .on((on) => on('spent.period', 'in', lists[0])),
      )
      .select(['id', 'environment_id', 'keys.spend_id', 'ceiling', 'daily_ceiling', 'days_from', 'expires_at'])
      .select(['revoked', 'revoked_at', 'spent.spend_id as spent_by', 'period', 'captured', 'held'])
      .select(['near_notified', 'reached_notified'])
      .where('id', 'in', lists[1]),
  )
  const keys = new Map<string, PayingKey>()
  const periods = new Map<string, SpendPeriod>()
  for (const row of rows) {
    const { id, period, spent_by: spendId, captured, held } = row
    keys.set(id, {
      id,
      environmentId: row.environment_id,
      spendId: row.spend_id,
      ceiling: row.ceiling,
      dailyCeiling: row.daily_ceiling,
      daysFrom: row.days_from,
      expiresAt: row.expires_at,
      revokedAt: revokedFrom(row),
    })
    if (spendId === null || period === null || captured === null || held === null) continue
    const notified = { nearNotified: row.near_notified, reachedNotified: row.reached_notified }
    periods.set(periodKey(spendId, period), { spendId, period, captured, held, ...notified })
  }
  return { keys, periods }
}

/** The months and days of the given times. */
function periodsAt(moments: readonly number[]): string[] {
  const dates = new Set(moments.map(spendDate))
  return padded([...dates].flatMap(({ month, day }) => [month, day]))
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
        environmentId: row.account_id,
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

/** Whether the spending of a hold was read with the keys: most holds are of the same day and of one of these keys. */
function isRead(hold: Hold, keys: ReadonlyMap<string, PayingKey>, dates: readonly string[]): boolean {
  const { month, day } = spendDate(hold.placedAt)
  if (!dates.includes(month) || !dates.includes(day)) return false
  const key = keys.get(hold.keyId)
  return key?.spendId === hold.spendId && key.environmentId === hold.environmentId
}

/** The spending in the months and days in which holds were placed. */
async function readPeriods(
  statements: Connection,
  keys: ReadonlyMap<string, PayingKey>,
  placed: readonly Hold[],
): Promise<Map<string, SpendPeriod>> {
  if (placed.length === 0) return new Map()
  const spendIds = placed.flatMap(({ spendId, environmentId }) => [spendId, environmentSpendId(environmentId)])
  for (const { spendId } of keys.values()) spendIds.push(spendId)
  const lists = [padded(spendIds), periodsAt(placed.map(({ placedAt }) => placedAt))] as const
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
  named: readonly { environmentId: number; hash: string | null }[],
): Promise<Map<string, IdempotencyRecord>> {
  const environmentIds = new Set<number>()
  const hashes = new Set<string>()
  for (const { environmentId, hash } of named) {
    if (hash === null) continue
    environmentIds.add(environmentId)
    hashes.add(hash)
  }
  if (hashes.size === 0) return new Map()
  const lists = [padded(environmentIds), padded(hashes)] as const
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
        environmentId: row.account_id,
        hash: row.hash,
        fingerprint: row.fingerprint,
        state: row.state,
        requestId: row.request_id,
        versionId: row.version_id,
        foldId: row.fold_id,
        source: row.source,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      },
    ]),
  )
}

async function readPaid(statements: Connection, requests: readonly SettleRequest[]): Promise<Map<string, PaidRecord>> {
  const environmentIds = new Set<number>()
  const entityIds = new Set<number>()
  for (const request of requests) {
    if (request.type !== 'charge' && request.type !== 'capture') continue
    if (request.repeatFreeSince === null || request.call.entityId === null) continue
    environmentIds.add(request.environmentId)
    entityIds.add(request.call.entityId)
  }
  if (entityIds.size === 0) return new Map()
  const lists = [padded(environmentIds), padded(entityIds)] as const
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
      { environmentId: account_id, entityId: entity_id, paidAt: paid_at },
    ]),
  )
}
