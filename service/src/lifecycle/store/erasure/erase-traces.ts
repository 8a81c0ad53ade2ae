import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { kinds, type Kind } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../../database/engine/dialect.ts'
import type { Alias } from '../../../foundation/identifier.ts'
import { aliasText } from '../../../records/identifiers/alias.ts'

/** The subjects of a search: their entities, including those merged into them, and the requested names. */
export interface Traced {
  entityIds: number[]
  names: Record<Kind, Alias[]>
}

interface CallTraces {
  found: string[]
  /** Pass it as `afterRequestId` for the next chunk. */
  next: string
  done: boolean
}

const rowsPerStep = 2_000
/** Up to this many ids and names, the engine filters faster than rows can be read. */
const fewInStatement = 200

/** The calls in a chunk of the log that name a subject. */
export async function findCalls(
  { db, dialect, rest }: Connection,
  { traced, afterRequestId, limit }: { traced: Traced; afterRequestId: string; limit: number },
): Promise<CallTraces> {
  const touched = touchedBy(dialect, traced)
  const sum: CallTraces = { found: [], next: afterRequestId, done: false }
  for (let seen = 0; seen < limit && !sum.done; seen += rowsPerStep) {
    const { found, next, done } = await findSome(db, touched, sum.next)
    sum.found.push(...found)
    sum.next = next
    sum.done = done
    if (!done) await rest?.()
  }
  return sum
}

interface Touched {
  isIn(row: { kind: Kind; identifier: string | null; entity_id: number | null }): boolean
  /** The same as a SQL condition; null if it would be too long. */
  condition: RawBuilder<SqlBool> | null
}

function touchedBy(dialect: Dialect, { entityIds, names }: Traced): Touched {
  const texts = (kind: Kind) => names[kind].flatMap((alias) => [alias.value, aliasText(alias)])
  const ids = new Set(entityIds)
  const sets = { people: new Set(texts('people')), companies: new Set(texts('companies')) }
  const named = kinds.map((kind) => sql`(kind = ${kind} and ${dialect.isAmong('identifier', 'text', texts(kind))})`)
  const isFew = ids.size + sets.people.size + sets.companies.size <= fewInStatement
  return {
    isIn: ({ kind, identifier, entity_id: id }) =>
      (id !== null && ids.has(id)) || (identifier !== null && sets[kind].has(identifier)),
    condition: isFew
      ? sql<SqlBool>`(${dialect.isAmong('entity_id', 'bigint', entityIds)} or ${sql.join(named, sql` or `)})`
      : null,
  }
}

async function findSome(db: Tx, { isIn, condition }: Touched, after: string): Promise<CallTraces> {
  const end = await endOfCalls(db, after, rowsPerStep)
  if (end === null) return { found: [], next: after, done: true }
  const rows = await db
    .selectFrom('calls')
    .select(['request_id', 'kind', 'identifier', 'entity_id'])
    .where('request_id', '>', after)
    .where('request_id', '<=', end.last)
    .where(condition ?? sql<SqlBool>`(entity_id is not null or identifier is not null)`)
    .execute()
  return { found: rows.filter(isIn).map((row) => row.request_id), next: end.last, done: end.count < rowsPerStep }
}

/**
 * Removes the subjects from calls. The receipts stay without names and ids. Recipients are recorded first, because
 * nodes of an older version do not record them.
 */
export async function eraseCalls(
  { db: tx }: Connection,
  { requestIds }: { requestIds: readonly string[] },
): Promise<void> {
  await sql`insert into recipients (entity_id, account_id, kind, key)
    select coalesce(nullif(gone.into_id, 0), calls.entity_id), calls.account_id, calls.kind, coalesce(entities.key, gone.key, '')
    from calls left join entities on entities.id = calls.entity_id
      left join merged_entities as gone on gone.id = calls.entity_id
    where calls.request_id in (${sql.join(requestIds)}) and calls.entity_id is not null and calls.mode = 'live'
      and calls.status = 200
    on conflict (entity_id, account_id, key) do nothing`.execute(tx)
  await tx
    .updateTable('calls')
    .set({ identifier: null, entity_id: null, version_id: null, fetch_id: null, checksum: null })
    .where('request_id', 'in', requestIds)
    .execute()
}

/** The last request in a chunk of the call log, and its number of rows; null after the end. */
export async function endOfCalls(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ last: string; count: number } | null> {
  const page = tx
    .selectFrom('calls')
    .select('request_id')
    .where('request_id', '>', after)
    .orderBy('request_id')
    .limit(limit)
    .as('page')
  const row = await tx
    .selectFrom(page)
    .select((eb) => [eb.fn.max('request_id').as('last'), eb.fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow()
  return row.last === null ? null : { last: row.last, count: Number(row.count) }
}

/** An idempotency row. */
interface Replay {
  environmentId: number
  hash: string
}

/** The idempotency rows that refer to a version of a subject. No index covers them. */
export async function findReplays(
  { db, dialect }: Connection,
  { entityIds }: { entityIds: number[] },
): Promise<Replay[]> {
  if (entityIds.length === 0) return []
  const versions = db
    .selectFrom('versions')
    .select('id')
    .where(dialect.isAmong('entity_id', 'bigint', entityIds))
  return db
    .selectFrom('idempotency')
    .select(['account_id as environmentId', 'hash'])
    .where('version_id', 'in', versions)
    .execute()
}

/**
 * Empties idempotency rows, so that a retry finds nothing to replay. The row itself stays, because a duplicate that is
 * about to pay must still find that the first call paid.
 */
export async function eraseReplays({ db: tx }: Connection, { replays }: { replays: readonly Replay[] }): Promise<void> {
  for (const { environmentId, hash } of replays) {
    const row = tx.updateTable('idempotency').where('account_id', '=', environmentId).where('hash', '=', hash)
    await row.set({ version_id: null, fingerprint: '', checksum: null }).execute()
  }
}
