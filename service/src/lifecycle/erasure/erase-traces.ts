import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/dialect.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasText } from '../../records/identifiers/alias.ts'

/** Whose traces: the entities, also those merged into them, and the names that were asked for. */
export interface Traced {
  kind: Kind
  entityIds: number[]
  aliases: Alias[]
}

interface Chunk extends Traced {
  limit: number
  /** Count only. */
  dryRun: boolean
}

export interface CallTraces {
  found: number
  /** Pass it as `afterRequestId` for the next chunk. */
  next: string
  done: boolean
}

/** Removes a subject from a chunk of the call log. The receipts stay, without its name and ids. */
export async function eraseCalls(
  { db: tx }: Connection,
  { kind, entityIds, aliases, afterRequestId, limit, dryRun }: Chunk & { afterRequestId: string },
): Promise<CallTraces> {
  const end = await endOfCalls(tx, afterRequestId, limit)
  if (end === null) return { found: 0, next: afterRequestId, done: true }
  const ids = entityIds.length > 0 ? entityIds : [-1]
  const names = [...aliases.flatMap((alias) => [alias.value, aliasText(alias)]), '']
  const touched = sql<boolean>`(entity_id in (${sql.join(ids)}) or (kind = ${kind} and identifier in (${sql.join(names)})))`
  const span = sql<boolean>`(request_id > ${afterRequestId} and request_id <= ${end.last})`
  const done = end.count < limit
  if (dryRun) {
    const row = await tx
      .selectFrom('calls')
      .select(tx.fn.countAll<number>().as('found'))
      .where(span)
      .where(touched)
      .executeTakeFirstOrThrow()
    return { found: Number(row.found), next: end.last, done }
  }
  const result = await tx
    .updateTable('calls')
    .set({ identifier: null, entity_id: null, version_id: null, fetch_id: null })
    .where(span)
    .where(touched)
    .executeTakeFirst()
  return { found: Number(result.numUpdatedRows), next: end.last, done }
}

/** The last request of a chunk of the call log, and how many it has; null after the end. */
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

/**
 * Empties every idempotency row that refers to a version of the subject: a retry finds nothing to replay. The row itself
 * stays, because a duplicate that is about to pay must still find that the first call did.
 */
export async function eraseReplays(
  { db: tx }: Connection,
  { entityIds, dryRun }: { entityIds: number[]; dryRun: boolean },
): Promise<{ found: number }> {
  if (entityIds.length === 0) return { found: 0 }
  const versions = tx.selectFrom('versions').select('id').where('entity_id', 'in', entityIds)
  if (dryRun) {
    const row = await tx
      .selectFrom('idempotency')
      .select((eb) => eb.fn.countAll<number>().as('found'))
      .where('version_id', 'in', versions)
      .executeTakeFirstOrThrow()
    return { found: Number(row.found) }
  }
  const result = await tx
    .updateTable('idempotency')
    .set({ version_id: null, fingerprint: '' })
    .where('version_id', 'in', versions)
    .executeTakeFirst()
  return { found: Number(result.numUpdatedRows) }
}
