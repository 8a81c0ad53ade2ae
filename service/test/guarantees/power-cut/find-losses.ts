import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { auditWords } from '../../../../scripts/audit-ledger.ts'
import { creditOperations } from '../../../src/credits/operations.ts'
import { overSqlite, type OpenDatabase } from '../../harness/engines.ts'
import { openSqlite } from '../../../src/database/sqlite/connection/sqlite.ts'
import { findMarkers } from '../../harness/search-bytes.ts'
import { possible, promised, type AnsweredCalls, type Moments } from './answered-calls.ts'
import { erasedPattern } from './load.ts'

export interface Loss {
  of: 'store' | 'ledger' | 'charge' | 'record' | 'key' | 'grant' | 'erasure' | 'secret' | 'restart'
  what: string
}

/** Compares a data folder after a power cut with everything promised until then. Opening the folder changes it. */
export async function lossesInFolder(folder: string, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const losses: Loss[] = [...lossesInSecrets(folder, answered)]
  try {
    losses.push(...lossesInErasures(folder, answered, moments))
    const database = overSqlite(openSqlite(join(folder, 'vitae.db')))
    try {
      losses.push(...(await lossesInStore(database, answered, moments)))
    } finally {
      await database.db.destroy()
    }
    const findings = await auditWords(join(folder, 'vitae.db'))
    losses.push(...findings.map((what): Loss => ({ of: 'ledger', what })))
  } catch (error) {
    losses.push({ of: 'store', what: `it cannot be read: ${String(error)}` })
  }
  return losses
}

export function lossesInSecrets(folder: string, { secrets }: AnsweredCalls): Loss[] {
  const contents = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  return [...secrets]
    .filter(([name, secret]) => contents(join(folder, name)) !== secret)
    .map(([name]) => ({ of: 'secret', what: `${name} is not what it was` }))
}

function lossesInErasures(folder: string, answered: AnsweredCalls, moments: Moments): Loss[] {
  const found = findMarkers(erasedPattern, folder)
  return promised(answered.erasures, moments).flatMap(({ slug }) =>
    [...(found.get(slug) ?? [])].map((place): Loss => ({ of: 'erasure', what: `${slug} in ${place}` })),
  )
}

async function lossesInStore(database: OpenDatabase, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(database.db)
  const { differences } = await creditOperations.verifyLedger(database)
  return [
    ...rows
      .filter((row) => row.integrity_check !== 'ok')
      .map((row): Loss => ({ of: 'store', what: row.integrity_check })),
    ...differences.map((one): Loss => ({ of: 'ledger', what: JSON.stringify(one) })),
    ...(await lossesInCharges(database, answered, moments)),
    ...(await lossesInKeys(database, answered, moments)),
    ...(await lossesInGrants(database, answered, moments)),
  ]
}

/** Every promised call is paid once with its record. Beyond that, no more is paid than was in progress. */
async function lossesInCharges({ db }: OpenDatabase, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const entries = await db
    .selectFrom('ledger_entries')
    .select(['request_id', 'amount'])
    .where('kind', 'in', ['charge', 'capture'])
    .execute()
  const aliases = new Set((await db.selectFrom('aliases').select('value').execute()).map(({ value }) => value))
  const paid = Map.groupBy(entries, ({ request_id: requestId }) => requestId)
  const calls = promised(answered.calls, moments)
  const erased = new Set(answered.erasures.map(({ slug }) => slug))
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
  const atMost = possible(answered.calls, moments).length
  const more = [...paid.values()].flat()
  if (more.length <= atMost && more.every(({ amount }) => amount === 1)) return losses
  return [...losses, { of: 'charge', what: `${more.length} more are paid, and ${atMost} were under way` }]
}

async function lossesInKeys({ db }: OpenDatabase, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const rows = await db.selectFrom('keys').select(['id', 'revoked_at']).execute()
  const revoked = new Map(rows.map((row) => [row.id, row.revoked_at !== null]))
  return [
    ...promised(answered.keys, moments)
      .filter(({ id }) => !revoked.has(id))
      .map(({ id }): Loss => ({ of: 'key', what: `${id} is gone` })),
    ...promised(answered.revocations, moments)
      .filter(({ id }) => !revoked.get(id))
      .map(({ id }): Loss => ({ of: 'key', what: `${id} is not revoked` })),
  ]
}

async function lossesInGrants({ db }: OpenDatabase, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const rows = await db.selectFrom('ledger_entries').select(['reason', 'amount']).where('kind', '=', 'grant').execute()
  const times = (grant: { reason: string; amount: number }) =>
    rows.filter(({ reason, amount }) => reason === grant.reason && amount === grant.amount).length
  const wrong = [
    ...promised(answered.grants, moments).filter((grant) => times(grant) !== 1),
    ...possible(answered.grants, moments).filter((grant) => times(grant) > 1),
  ]
  return wrong.map((grant) => ({ of: 'grant', what: `${grant.reason} is there ${times(grant)} times` }))
}
