import { auditLedger } from '../../../../scripts/audit-ledger.ts'
import type { OpenDatabase } from '../../harness/engines.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import { utcDay, utcMonth } from '../../../src/foundation/clock.ts'
import { fillsIn } from '../../../src/records/versions/fold-rows.ts'
import { unpack } from '../../../src/database/packing/pack.ts'
import { checkedColumns, type CheckedTable, rowChecksum } from '../../../src/database/packing/row-checksum.ts'
import type { Page } from './honesty.ts'
import { rowsOf } from './rows-of.ts'

interface Payment {
  request_id: string
  environment: string
  key_id: string
  amount: number
  at: number
  /** When its hold was placed, if it had one. */
  placed_at: number
  held_amount: number | null
  /** See `price-note.ts`. */
  price: string | null
}

interface Recurring {
  environment: string
  reason: string
  amount: number
}

interface Receipt {
  request_id: string
  environment: string
  credits: number
  /** The price book and lines that were used. */
  price: string | null
  tag: string | null
  /** Null after an erasure. */
  entity_id: number | null
  at: number
}

interface BatchRow {
  id: number
  public_id: string
  environment: string
  status: string
  reason: string | null
  total: number
  credits: number
  max_credits: number | null
  ended: number
  /** Rows that an erasure emptied. */
  gone: number
}

/** The state of the store at rest. */
export interface Ledger {
  /** `granted` includes adjustments and excludes recurring grants. */
  environments: { environment: string; granted: number; balance: number; held: number }[]
  recurring: readonly Recurring[]
  priceBooks: readonly { version: number; valid_from: number; lines: string }[]
  payments: readonly Payment[]
  /** Receipts of answered calls, including those of batches and watches. */
  receipts: readonly Receipt[]
  batches: readonly BatchRow[]
  /** Events about spending near or at a ceiling. */
  alerts: readonly { type: string; data: string }[]
  /** The first key of each key's rotation chain. */
  chains: ReadonlyMap<string, string>
  /** The names in the store, with the key of their person. */
  names: readonly { value: string; key: string | null }[]
  /** The text of each stored version, with the key of its person. */
  versions: readonly { key: string; text: string | null }[]
  /** Folds that refer to a version that is not stored. */
  staleFolds: readonly { id: number }[]
  ledgerDifferences: readonly string[]
}

/** The sum of payments per UTC day and month. */
export function spentByPeriod(payments: readonly Payment[]): Map<string, number> {
  const spent = new Map<string, number>()
  for (const { amount, placed_at: at } of payments)
    for (const period of [utcMonth(at), utcDay(at)]) spent.set(period, (spent.get(period) ?? 0) + amount)
  return spent
}

const environment = `e.project || '/' || e.name as environment`

/** Reads the state of the store between two steps. */
export async function readLedger(database: OpenDatabase): Promise<Ledger> {
  const { differences } = await creditOperations.verifyLedger(database)
  const findings = await auditLedger((text) => rowsOf(database, text), database.dialect.name)
  return {
    environments: await rowsOf(
      database,
      `select ${environment}, e.balance, e.held, (select cast(coalesce(sum(l.amount), 0) as bigint) from ledger_entries l
       where l.account_id = e.id and l.kind in ('grant', 'adjustment') and l.actor <> 'system') as granted from environments e`,
    ),
    recurring: await rowsOf(
      database,
      `select ${environment}, l.reason, l.amount from ledger_entries l join environments e on e.id = l.account_id
       where l.kind in ('grant', 'adjustment') and l.actor = 'system'`,
    ),
    priceBooks: await rowsOf(database, 'select version, valid_from, lines from price_books'),
    payments: await rowsOf(
      database,
      `select l.request_id, ${environment}, l.key_id, l.amount, l.at, l.held_amount,
       (select c.price from calls c where c.request_id = l.request_id) as price, coalesce((select h.at from ledger_entries h
       where h.request_id = l.hold_id and h.kind = 'hold' and h.id < l.id order by h.id desc limit 1), l.at) as placed_at
       from ledger_entries l join environments e on e.id = l.account_id
       where l.kind in ('charge', 'capture')`,
    ),
    receipts: await rowsOf(
      database,
      `select c.request_id, ${environment}, c.credits, c.price, c.tag, c.at,
       (select entities.id from entities where entities.id = c.entity_id) as entity_id from calls c
       join environments e on e.id = c.account_id where c.status = 200 and c.replay_of is null`,
    ),
    batches: await rowsOf(
      database,
      `select b.id, b.public_id, ${environment}, b.status, b.reason, b.total, b.credits, b.max_credits,
       (select cast(count(*) as bigint) from batch_results r where r.batch_id = b.id) as ended,
       (select cast(count(*) as bigint) from batch_rows r where r.batch_id = b.id and r.input is null) as gone
       from batches b join environments e on e.id = b.account_id where b.status <> 'uploading'`,
    ),
    alerts: await rowsOf(database, `select type, data from events where type in ('ceiling.near', 'ceiling.reached')`),
    chains: new Map(
      (await rowsOf<{ id: string; spend_id: string }>(database, 'select id, spend_id from keys')).map(
        ({ id, spend_id }) => [id, spend_id],
      ),
    ),
    names: await rowsOf(
      database,
      `select a.value, e.key from aliases a left join entities e on e.id = a.entity_id where a.type = 'slug'`,
    ),
    versions: (
      await rowsOf<{ key: string; body: Uint8Array }>(
        database,
        `select e.key, v.body from versions v join entities e on e.id = v.entity_id`,
      )
    ).map(({ key, body }) => ({ key, text: (JSON.parse(Buffer.from(unpack(body)).toString()) as Page).profile_url })),
    staleFolds: await staleFolds(database),
    ledgerDifferences: [...differences, ...findings, ...(await changedRows(database))].map((one) =>
      JSON.stringify(one),
    ),
  }
}

/** Rows that differ from their checksum. */
async function changedRows(database: OpenDatabase): Promise<unknown[]> {
  const found: unknown[] = []
  for (const table of Object.keys(checkedColumns) as CheckedTable[]) {
    const rows = await rowsOf<Record<string, unknown>>(database, `select * from ${table} where checksum is not null`)
    found.push(...rows.filter((row) => row['checksum'] !== rowChecksum(table, row)).map((row) => ({ table, ...row })))
  }
  return found
}

async function staleFolds(database: OpenDatabase): Promise<{ id: number }[]> {
  const stored = new Set((await rowsOf<{ id: number }>(database, 'select id from versions')).map(({ id }) => id))
  const folds = await rowsOf<{ id: number; version_id: number; units: string }>(database, 'select * from folds')
  return folds.filter(({ version_id: base, units }) => {
    const sources = fillsIn(units).map(({ versionId }) => versionId)
    return [base, ...sources].some((id) => !stored.has(id))
  })
}
