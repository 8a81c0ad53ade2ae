import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { auditWords } from '../../../../scripts/audit-ledger.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import type { Database } from '../../../src/database/dialect.ts'
import { openSqlite } from '../../../src/database/sqlite/sqlite.ts'
import { findMarkers } from '../../harness/search-bytes.ts'
import { possible, promised, type Books, type Moments } from './books.ts'
import { erasedPattern } from './load.ts'

export interface Loss {
  of: 'store' | 'ledger' | 'charge' | 'record' | 'key' | 'grant' | 'erasure' | 'secret' | 'restart'
  what: string
}

/** Compares a data folder that a power cut has left with what was promised until then. The folder is opened, and changed by that. */
export async function judgeFolder(folder: string, books: Books, moments: Moments): Promise<Loss[]> {
  const losses: Loss[] = [...judgeSecrets(folder, books)]
  try {
    losses.push(...judgeErasures(folder, books, moments))
    const { db, direct } = openSqlite(join(folder, 'vitae.db'))
    try {
      losses.push(...(await judgeStore({ db, dialect: 'sqlite', direct }, books, moments)))
    } finally {
      await db.destroy()
    }
    const findings = await auditWords(join(folder, 'vitae.db'))
    losses.push(...findings.map((what): Loss => ({ of: 'ledger', what })))
  } catch (error) {
    losses.push({ of: 'store', what: `it cannot be read: ${String(error)}` })
  }
  return losses
}

export function judgeSecrets(folder: string, { secrets }: Books): Loss[] {
  const contents = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  return [...secrets]
    .filter(([name, secret]) => contents(join(folder, name)) !== secret)
    .map(([name]) => ({ of: 'secret', what: `${name} is not what it was` }))
}

function judgeErasures(folder: string, books: Books, moments: Moments): Loss[] {
  const found = findMarkers(erasedPattern, folder)
  return promised(books.erasures, moments).flatMap(({ slug }) =>
    [...(found.get(slug) ?? [])].map((place): Loss => ({ of: 'erasure', what: `${slug} in ${place}` })),
  )
}

async function judgeStore(database: Database, books: Books, moments: Moments): Promise<Loss[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.db)
  const { differences } = await creditOperations.verifyLedger(database)
  return [
    ...rows
      .filter((row) => row.integrity_check !== 'ok')
      .map((row): Loss => ({ of: 'store', what: row.integrity_check })),
    ...differences.map((one): Loss => ({ of: 'ledger', what: JSON.stringify(one) })),
    ...(await judgeCharges(database, books, moments)),
    ...(await judgeKeys(database, books, moments)),
    ...(await judgeGrants(database, books, moments)),
  ]
}

/** Every promised call is paid once and its record is there; beyond that no more is paid than was under way. */
async function judgeCharges({ db }: Database, books: Books, moments: Moments): Promise<Loss[]> {
  const entries = await db
    .selectFrom('ledger_entries')
    .select(['request_id', 'amount'])
    .where('kind', 'in', ['charge', 'capture'])
    .execute()
  const aliases = new Set((await db.selectFrom('aliases').select('value').execute()).map(({ value }) => value))
  const paid = Map.groupBy(entries, ({ request_id: requestId }) => requestId)
  const calls = promised(books.calls, moments)
  const erased = new Set(books.erasures.map(({ slug }) => slug))
  const losses = calls.flatMap(({ value, requestId, slug }): Loss[] => {
    const own = paid.get(requestId) ?? []
    paid.delete(requestId)
    const charge: Loss = { of: 'charge', what: `${value} is paid ${own.length} times: ${JSON.stringify(own)}` }
    return [
      ...(own.length === 1 && own[0]?.amount === 1 ? [] : [charge]),
      ...(aliases.has(slug) || erased.has(slug)
        ? []
        : [{ of: 'record' as const, what: `${slug} of ${value} is gone` }]),
    ]
  })
  const atMost = possible(books.calls, moments).length
  const more = [...paid.values()].flat()
  if (more.length <= atMost && more.every(({ amount }) => amount === 1)) return losses
  return [...losses, { of: 'charge', what: `${more.length} more are paid, and ${atMost} were under way` }]
}

async function judgeKeys({ db }: Database, books: Books, moments: Moments): Promise<Loss[]> {
  const rows = await db.selectFrom('keys').select(['id', 'revoked_at']).execute()
  const revoked = new Map(rows.map((row) => [row.id, row.revoked_at !== null]))
  return [
    ...promised(books.keys, moments)
      .filter(({ id }) => !revoked.has(id))
      .map(({ id }): Loss => ({ of: 'key', what: `${id} is gone` })),
    ...promised(books.revocations, moments)
      .filter(({ id }) => !revoked.get(id))
      .map(({ id }): Loss => ({ of: 'key', what: `${id} is not revoked` })),
  ]
}

async function judgeGrants({ db }: Database, books: Books, moments: Moments): Promise<Loss[]> {
  const rows = await db.selectFrom('ledger_entries').select(['reason', 'amount']).where('kind', '=', 'grant').execute()
  const times = (grant: { reason: string; amount: number }) =>
    rows.filter(({ reason, amount }) => reason === grant.reason && amount === grant.amount).length
  const wrong = [
    ...promised(books.grants, moments).filter((grant) => times(grant) !== 1),
    ...possible(books.grants, moments).filter((grant) => times(grant) > 1),
  ]
  return wrong.map((grant) => ({ of: 'grant', what: `${grant.reason} is there ${times(grant)} times` }))
}
