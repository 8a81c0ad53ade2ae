import type { Books } from './books.ts'
import { callColumns, callValues } from './call-rows.ts'
import type { Settlement } from './decide.ts'
import type { Entry } from './page.ts'
import { insertRows, overTuples, type Value } from './rows.ts'
import type { Statements } from './statements.ts'

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
export async function writeBooks(statements: Statements, before: Books, after: Settlement): Promise<void> {
  await insertRows(statements, { table: 'ledger_entries', columns: entryColumns }, after.entries.map(entryValues))
  const accounts = changed(before.accounts, after.books.accounts)
  await overTuples(
    statements,
    setBalances,
    accounts.map(({ id, balance, held }) => [id, balance, held]),
  )
  await writeMonths(statements, before, after.books)
  await writeHolds(statements, before, after.books)
  await writeMarks(statements, before, after.books)
  await writePaid(statements, before, after.books)
  await insertRows(statements, { table: 'calls', columns: callColumns }, after.calls.map(callValues))
}

async function writeMonths(statements: Statements, before: Books, after: Books): Promise<void> {
  const onConflict = 'on conflict (spend_id, month) do update set captured = excluded.captured, held = excluded.held'
  const rows = changed(before.months, after.months).map(({ spendId, month, captured, held }) => [
    spendId,
    month,
    captured,
    held,
  ])
  const columns = ['spend_id', 'month', 'captured', 'held'] as const
  await insertRows(statements, { table: 'key_months', columns, onConflict }, rows)
}

async function writeHolds(statements: Statements, before: Books, after: Books): Promise<void> {
  await overTuples(
    statements,
    dropHolds,
    gone(before.holds, after.holds).map(({ id }) => [id]),
  )
  const rows = changed(before.holds, after.holds).map((hold) => [
    hold.id,
    hold.accountId,
    hold.keyId,
    hold.spendId,
    hold.month,
    hold.amount,
    hold.placedAt,
    hold.expiresAt,
    hold.idempotencyHash,
  ])
  await insertRows(statements, { table: 'holds', columns: holdColumns }, rows)
}

async function writeMarks(statements: Statements, before: Books, after: Books): Promise<void> {
  await overTuples(
    statements,
    dropMarks,
    gone(before.marks, after.marks).map(({ accountId, hash }) => [accountId, hash]),
  )
  const replaced = markColumns.slice(2).map((column) => `${column} = excluded.${column}`)
  const onConflict = `on conflict (account_id, hash) do update set ${replaced.join(', ')}`
  const rows = changed(before.marks, after.marks).map((mark) => [
    mark.accountId,
    mark.hash,
    mark.fingerprint,
    mark.state,
    mark.requestId,
    mark.versionId,
    mark.source,
    mark.createdAt,
    mark.expiresAt,
  ])
  await insertRows(statements, { table: 'idempotency', columns: markColumns, onConflict }, rows)
}

async function writePaid(statements: Statements, before: Books, after: Books): Promise<void> {
  const onConflict = 'on conflict (account_id, entity_id) do update set paid_at = excluded.paid_at'
  const rows = changed(before.paid, after.paid).map(({ accountId, entityId, paidAt }) => [accountId, entityId, paidAt])
  const columns = ['account_id', 'entity_id', 'paid_at'] as const
  await insertRows(statements, { table: 'paid_records', columns, onConflict }, rows)
}

/** In the order of `entryColumns`. */
function entryValues(entry: Entry): Value[] {
  return [
    entry.accountId,
    entry.kind,
    entry.amount,
    entry.heldAmount,
    entry.keyId,
    entry.spendId,
    entry.month,
    entry.requestId,
    entry.holdId,
    entry.at,
  ]
}

// Rows are replaced and never changed in place, so that identity tells what a batch touched.
function changed<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...after].filter(([key, row]) => before.get(key) !== row).map(([, row]) => row)
}

function gone<Key, Row>(before: ReadonlyMap<Key, Row>, after: ReadonlyMap<Key, Row>): Row[] {
  return [...before].filter(([key]) => !after.has(key)).map(([, row]) => row)
}
