import { join } from 'node:path'
import { sql } from 'kysely'
import { auditWords } from '../../../../scripts/audit-ledger.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import type { LedgerReport } from '../../../src/credits/store/verify-ledger.ts'
import { openPostgres } from '../../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../../src/database/sqlite/connection/sqlite.ts'
import { overPostgres, overSqlite, type OpenDatabase } from '../../harness/engines.ts'

export const holdSeconds = 2
export const granted = 1_000_000
export const environment = { project: 'demo', environment: 'production' }
/** Only the faulty provider may answer it. */
export const aloneEnvironment = { project: 'alone', environment: 'production' }

/** The state of a store at rest. */
export interface Counted {
  /** The spending of the environment, by its balance and by the sum of its entries. */
  spent: number
  aloneSpent: number
  held: number
  /** Responses with status 500 and above that have a charge in the ledger. */
  paidFailures: number
  /** Findings of the ledger audit. */
  audit: string[]
  ledger: LedgerReport
  /** The result of `pragma integrity_check`; `ok` on PostgreSQL. */
  integrity: string
}

/** Counts in a store without a running service. */
export async function countAtRest(
  folder: string,
  databaseUrl: string | null,
  failures: readonly string[],
): Promise<Counted> {
  const database: OpenDatabase = databaseUrl
    ? overPostgres(openPostgres(databaseUrl, () => undefined).db)
    : overSqlite(openSqlite(join(folder, 'vitae.db')))
  // With several nodes, dead holds cannot be identified, so they expire by time.
  if (databaseUrl) await creditOperations.releaseHolds(database, { at: Date.now() + holdSeconds * 1_000, all: false })
  const { balance, held } = await creditOperations.creditBalance(database, { ...environment, at: Date.now() })
  const alone = await creditOperations.creditBalance(database, { ...aloneEnvironment, at: Date.now() })
  const paidFailures = await countPaid(database, failures)
  const ledger = await creditOperations.verifyLedger(database)
  const integrity = databaseUrl ? 'ok' : await integrityOf(database)
  await database.db.destroy()
  const audit = await auditWords(databaseUrl ?? join(folder, 'vitae.db'))
  const spent = granted - balance
  return { spent, aloneSpent: granted - alone.balance, held: held + alone.held, paidFailures, ledger, audit, integrity }
}

/** The number of these requests that have a charge in the ledger. */
async function countPaid({ db }: OpenDatabase, requests: readonly string[]): Promise<number> {
  const { rows } = await sql<{ request_id: string }>`select request_id from ledger_entries
    where kind in ('charge', 'capture') and request_id is not null`.execute(db)
  const paid = new Set(rows.map((row) => row.request_id))
  return requests.filter((id) => paid.has(id)).length
}

async function integrityOf({ db }: OpenDatabase): Promise<string> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
  return rows.map((row) => row.integrity_check).join('; ')
}
