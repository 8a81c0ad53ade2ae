import { sql, type Kysely } from 'kysely'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import type { Tables } from '../../src/database/tables.ts'
import { accountSpendId } from '../../src/credits/decision/ledger-snapshot.ts'
import { utcDay, utcMonth } from '../../src/foundation/clock.ts'
import { verifyLedger } from '../../src/credits/store/verify-ledger.ts'
import type { Books } from './oracle.ts'

/** Reads what the store says, on a connection of its own. */
export async function readBooks(path: string, now: number): Promise<Books> {
  const { db, raw } = openSqlite(path)
  try {
    const { differences } = await verifyLedger({ db, dialect: 'sqlite' })
    return {
      accounts: await accountsIn(db, now),
      keys: await keysIn(db, now),
      receipts: await receiptsIn(db),
      entries: await entriesIn(db),
      ledgerDifferences: differences.map((one) => JSON.stringify(one)),
    }
  } finally {
    raw.close()
  }
}

async function accountsIn(db: Kysely<Tables>, now: number): Promise<Books['accounts']> {
  const rows = await db.selectFrom('environments').selectAll().execute()
  const periods = await db.selectFrom('key_months').selectAll().where('month', '=', utcMonth(now)).execute()
  const grants = await sql<{ account_id: number; granted: number }>`select account_id, sum(amount) as granted
    from ledger_entries where kind = 'grant' group by account_id`.execute(db)
  return rows.map(({ id, project, name, balance, held, monthly_budget: budget }) => ({
    account: `${project}/${name}`,
    granted: grants.rows.find((row) => row.account_id === id)?.granted ?? 0,
    balance,
    held,
    budget,
    spentThisMonth: periods.find((row) => row.spend_id === accountSpendId(id))?.captured ?? 0,
  }))
}

async function keysIn(db: Kysely<Tables>, now: number): Promise<Books['keys']> {
  const keys = await db.selectFrom('keys').select(['id', 'spend_id']).execute()
  const periods = await db.selectFrom('key_months').selectAll().execute()
  const spentIn = (spendId: string, period: string) =>
    periods.find((row) => row.spend_id === spendId && row.month === period)?.captured ?? 0
  return keys.map(({ id, spend_id: spendId }) => ({
    id,
    month: spentIn(spendId, utcMonth(now)),
    day: spentIn(spendId, utcDay(now)),
  }))
}

async function receiptsIn(db: Kysely<Tables>): Promise<Map<string, number>> {
  const rows = await db.selectFrom('calls').select(['request_id', 'credits']).where('status', '=', 200).execute()
  return new Map(rows.map((row) => [row.request_id, row.credits]))
}

async function entriesIn(db: Kysely<Tables>): Promise<Map<string, number>> {
  const { rows } = await sql<{
    request_id: string
    count: number
  }>`select request_id, count(*) as count from ledger_entries
    where kind in ('charge', 'capture') group by request_id`.execute(db)
  return new Map(rows.map((row) => [row.request_id, row.count]))
}
