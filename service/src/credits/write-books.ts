import type { Dialect, Tx } from '../foundation/database/dialect.ts'
import type { Books } from './books.ts'
import { callColumns, callRow } from './call-rows.ts'
import type { Settlement } from './decide.ts'
import type { Entry } from './page.ts'
import { insertRows, overTuples } from './rows.ts'

const entryColumns = [
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
] as const
const holdColumns = [
  'id',
  'account_id',
  'key_id',
  'spend_id',
  'month',
  'amount',
  'placed_at',
  'expires_at',
  'idempotency_hash',
] as const
const markColumns = [
  'account_id',
  'hash',
  'fingerprint',
  'state',
  'request_id',
  'version_id',
  'source',
  'created_at',
  'expires_at',
] as const

const setBalances = {
  text: `update environments set balance = v.column2, held = v.column3 from ([values]) as v where id = v.column1`,
  tuple: ['cast(? as bigint)', 'cast(? as bigint)', 'cast(? as bigint)'],
}
const dropMarks = {
  text: 'delete from idempotency where (account_id, hash) in ([values])',
  tuple: ['cast(? as bigint)', '?'],
}
const dropHolds = { text: 'delete from holds where id in ([values])', tuple: ['?'] }

/** Writes what a settlement changed: the difference of the two books, the entries, and the receipts. */
export async function writeBooks(tx: Tx, dialect: Dialect, before: Books, after: Settlement): Promise<void> {
  await insertRows(tx, dialect, { table: 'ledger_entries', columns: entryColumns }, after.entries.map(entryRow))
  const accounts = changed(before.accounts, after.books.accounts)
  await overTuples(
    tx,
    dialect,
    setBalances,
    accounts.map(({ id, balance, held }) => [id, balance, held]),
  )
  await writeMonths(tx, dialect, before, after.books)
  await writeHolds(tx, dialect, before, after.books)
  await writeMarks(tx, dialect, before, after.books)
  await writePaid(tx, dialect, before, after.books)
  await insertRows(tx, dialect, { table: 'calls', columns: callColumns }, after.calls.map(callRow))
}

async function writeMonths(tx: Tx, dialect: Dialect, before: Books, after: Books): Promise<void> {
  const onConflict = 'on conflict (spend_id, month) do update set captured = excluded.captured, held = excluded.held'
  const rows = changed(before.months, after.months).map(({ spendId, month, captured, held }) => ({
    spend_id: spendId,
    month,
    captured,
    held,
  }))
  const columns = ['spend_id', 'month', 'captured', 'held'] as const
  await insertRows(tx, dialect, { table: 'key_months', columns, onConflict }, rows)
}

async function writeHolds(tx: Tx, dialect: Dialect, before: Books, after: Books): Promise<void> {
  await overTuples(
    tx,
    dialect,
    dropHolds,
    gone(before.holds, after.holds).map(({ id }) => [id]),
  )
  const rows = changed(before.holds, after.holds).map((hold) => ({
    id: hold.id,
    account_id: hold.accountId,
    key_id: hold.keyId,
    spend_id: hold.spendId,
    month: hold.month,
    amount: hold.amount,
    placed_at: hold.placedAt,
    expires_at: hold.expiresAt,
    idempotency_hash: hold.idempotencyHash,
  }))
  await insertRows(tx, dialect, { table: 'holds', columns: holdColumns }, rows)
}

async function writeMarks(tx: Tx, dialect: Dialect, before: Books, after: Books): Promise<void> {
  await overTuples(
    tx,
    dialect,
    dropMarks,
    gone(before.marks, after.marks).map(({ accountId, hash }) => [accountId, hash]),
  )
  const replaced = markColumns.slice(2).map((column) => `${column} = excluded.${column}`)
  const onConflict = `on conflict (account_id, hash) do update set ${replaced.join(', ')}`
  const rows = changed(before.marks, after.marks).map((mark) => ({
    account_id: mark.accountId,
    hash: mark.hash,
    fingerprint: mark.fingerprint,
    state: mark.state,
    request_id: mark.requestId,
    version_id: mark.versionId,
    source: mark.source,
    created_at: mark.createdAt,
    expires_at: mark.expiresAt,
  }))
  await insertRows(tx, dialect, { table: 'idempotency', columns: markColumns, onConflict }, rows)
}

async function writePaid(tx: Tx, dialect: Dialect, before: Books, after: Books): Promise<void> {
  const onConflict = 'on conflict (account_id, entity_id) do update set paid_at = excluded.paid_at'
  const rows = changed(before.paid, after.paid).map(({ accountId, entityId, paidAt }) => ({
    account_id: accountId,
    entity_id: entityId,
    paid_at: paidAt,
  }))
  const columns = ['account_id', 'entity_id', 'paid_at'] as const
  await insertRows(tx, dialect, { table: 'paid_records', columns, onConflict }, rows)
}

function entryRow(entry: Entry) {
  return {
    account_id: entry.accountId,
    kind: entry.kind,
    amount: entry.amount,
    held_amount: entry.heldAmount,
    key_id: entry.keyId,
    spend_id: entry.spendId,
    month: entry.month,
    request_id: entry.requestId,
    hold_id: entry.holdId,
    at: entry.at,
  }
}

// Rows are replaced and never changed in place, so that identity tells what a batch touched.
function changed<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...after].filter(([key, row]) => before.get(key) !== row).map(([, row]) => row)
}

function gone<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...before].filter(([key]) => !after.has(key)).map(([, row]) => row)
}
