import type { DataSource } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import type { LedgerSnapshot, Hold, IdempotencyRecord, PaidRecord, SpendPeriod } from '../decision/ledger-snapshot.ts'
import { writeEvents } from '../../events/outbox/event-upkeep.ts'
import type { Settlement } from '../decision/decide-settlement.ts'
import type { Entry, BilledCall } from '../decision/ledger-draft.ts'
import { insertRows, overTuples, type Value } from '../../database/sql/prepared.ts'
import type { CallRow } from '../../database/tables/calls.ts'

const entries = {
  table: 'ledger_entries',
  columns: [
    'account_id',
    'kind',
    'amount',
    'held_amount',
    'key_id',
    'spend_id',
    'month',
    'request_id',
    'hold_id',
    'at',
  ],
  put(entry: Entry, values: Value[]): void {
    values.push(
      entry.environmentId,
      entry.kind,
      entry.amount,
      entry.heldAmount,
      entry.keyId,
      entry.spendId,
      entry.month,
      entry.requestId,
      entry.holdId,
      entry.at,
    )
  },
} as const

const periods = {
  table: 'spend_periods',
  columns: ['spend_id', 'period', 'captured', 'held'],
  put: ({ spendId, period, captured, held }: SpendPeriod, values: Value[]) =>
    void values.push(spendId, period, captured, held),
  onConflict: 'on conflict (spend_id, period) do update set captured = excluded.captured, held = excluded.held',
} as const

const holds = {
  table: 'holds',
  columns: ['id', 'account_id', 'key_id', 'spend_id', 'month', 'amount', 'placed_at', 'expires_at', 'idempotency_hash'],
  put(hold: Hold, values: Value[]): void {
    const { id, environmentId, keyId, spendId, month, amount, placedAt, expiresAt, idempotencyHash } = hold
    values.push(id, environmentId, keyId, spendId, month, amount, placedAt, expiresAt, idempotencyHash)
  },
} as const

const idempotencyColumns = [
  'fingerprint',
  'state',
  'request_id',
  'version_id',
  'fold_id',
  'source',
  'created_at',
  'expires_at',
] as const
const idempotencyRecords = {
  table: 'idempotency',
  columns: ['account_id', 'hash', ...idempotencyColumns],
  put(known: IdempotencyRecord, values: Value[]): void {
    const {
      environmentId,
      hash,
      fingerprint,
      state,
      requestId,
      versionId,
      foldId = null,
      source,
      createdAt,
      expiresAt,
    } = known
    values.push(environmentId, hash, fingerprint, state, requestId, versionId, foldId, source, createdAt, expiresAt)
  },
  onConflict: `on conflict (account_id, hash) do update set ${[...idempotencyColumns, 'checksum'].map((name) => `${name} = excluded.${name}`).join(', ')}`,
} as const

const paidRecords = {
  table: 'paid_records',
  columns: ['account_id', 'entity_id', 'paid_at'],
  put: ({ environmentId, entityId, paidAt }: PaidRecord, values: Value[]) =>
    void values.push(environmentId, entityId, paidAt),
  onConflict: 'on conflict (account_id, entity_id) do update set paid_at = excluded.paid_at',
} as const

/** The columns stored for every call, billed or not. */
export type KeptCall = Omit<BilledCall, 'price' | 'tag' | 'source'> & { source: DataSource | null }

export const sharedColumns = [
  'request_id',
  'at',
  'key_id',
  'account_id',
  'kind',
  'source',
  'credits',
  'identifier',
  'entity_id',
  'version_id',
  'fold_id',
  'fetch_id',
  'replay_of',
  'duration_ms',
] as const satisfies readonly (keyof CallRow)[]

/** The values of these columns, in the same order. */
export function putShared(call: KeptCall, values: Value[]): void {
  values.push(
    call.requestId,
    call.at,
    call.keyId,
    call.environmentId,
    call.kind,
    call.source,
    call.credits,
    call.identifier,
    call.entityId,
    call.versionId,
    call.foldId ?? null,
    call.fetchId,
    call.replayOf,
    call.durationMs,
  )
}

/** The calls of a settlement, all answered and made with a live key. */
const billedCalls = {
  table: 'calls',
  columns: [...sharedColumns, 'price'],
  fixed: { mode: `'live'`, status: '200' },
  put(call: BilledCall, values: Value[]): void {
    putShared(call, values)
    values.push(call.price)
  },
} as const

/** Calls with a tag; the others neither bind nor store one. */
const taggedCalls = {
  ...billedCalls,
  columns: [...sharedColumns, 'price', 'tag'],
  put(call: BilledCall, values: Value[]): void {
    putShared(call, values)
    values.push(call.price, call.tag)
  },
} as const

const setBalances = {
  text: `update environments set balance = v.column2, held = v.column3 from ([values]) as v where id = v.column1`,
  tuple: ['cast(? as bigint)', 'cast(? as bigint)', 'cast(? as bigint)'],
  one: 'update environments set balance = ?2, held = ?3 where id = ?1',
}
const dropIdempotencyRecords = {
  text: 'delete from idempotency where (account_id, hash) in ([values])',
  tuple: ['cast(? as bigint)', '?'],
}
const setLowNotified = {
  text: 'update environments set low_told = 1 where id in ([values])',
  tuple: ['cast(? as bigint)'],
}
const setNotified = {
  text: `update spend_periods set near_notified = v.column3, reached_notified = v.column4 from ([values]) as v
    where spend_id = v.column1 and period = v.column2`,
  tuple: ['cast(? as text)', 'cast(? as text)', 'cast(? as bigint)', 'cast(? as bigint)'],
}
const dropHolds = {
  text: 'delete from holds where id in ([values])',
  tuple: ['?'],
  one: 'delete from holds where id = ?1',
}

/** Writes the changes of a settlement: the difference of the two snapshots, the entries and the receipts. */
export async function writeLedger(statements: Connection, before: LedgerSnapshot, after: Settlement): Promise<void> {
  const { snapshot } = after
  await insertRows(statements, entries, after.entries)
  const environments = changed(before.environments, snapshot.environments)
  await overTuples(
    statements,
    setBalances,
    environments.map(({ id, balance, held }) => [id, balance, held]),
  )
  await insertRows(statements, periods, changed(before.periods, snapshot.periods))
  await overTuples(
    statements,
    dropHolds,
    gone(before.holds, snapshot.holds).map(({ id }) => [id]),
  )
  await insertRows(statements, holds, changed(before.holds, snapshot.holds))
  await overTuples(
    statements,
    dropIdempotencyRecords,
    gone(before.idempotencyRecords, snapshot.idempotencyRecords).map(({ environmentId, hash }) => [
      environmentId,
      hash,
    ]),
  )
  await insertRows(statements, idempotencyRecords, changed(before.idempotencyRecords, snapshot.idempotencyRecords))
  await insertRows(statements, paidRecords, changed(before.paid, snapshot.paid))
  const tagged = after.calls.filter(({ tag }) => tag !== null)
  const untagged = tagged.length === 0 ? after.calls : after.calls.filter(({ tag }) => tag === null)
  await insertRows(statements, billedCalls, untagged)
  await insertRows(statements, taggedCalls, tagged)
  if (after.events.length > 0) await writeAlerts(statements, before, after)
}

/** Writes the spending alerts, and records that they were written. */
async function writeAlerts(statements: Connection, before: LedgerSnapshot, after: Settlement): Promise<void> {
  const environments = changed(before.environments, after.snapshot.environments).filter(
    ({ id, lowNotified }) => lowNotified && !before.environments.get(id)?.lowNotified,
  )
  await overTuples(
    statements,
    setLowNotified,
    environments.map(({ id }) => [id]),
  )
  await overTuples(
    statements,
    setNotified,
    changed(before.periods, after.snapshot.periods).map((row) => [
      row.spendId,
      row.period,
      row.nearNotified,
      row.reachedNotified,
    ]),
  )
  await writeEvents(statements.db, statements.dialect, after.events)
}

// Rows are replaced and never changed in place, so object identity shows what a batch touched.
function changed<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...after].filter(([key, row]) => before.get(key) !== row).map(([, row]) => row)
}

function gone<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...before].filter(([key]) => !after.has(key)).map(([, row]) => row)
}
