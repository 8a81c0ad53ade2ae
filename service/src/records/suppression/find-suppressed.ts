import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/dialect.ts'
import { suppressionHash } from './suppression-hash.ts'
import { suppressedAmong } from './suppressions.ts'

export interface SuppressedFound {
  found: { entityId: number; kind: Kind; key: string }[]
  /** Pass it as `afterEntityId` for the next chunk. */
  next: number
  done: boolean
}

/** Those of a chunk of entities that are on the suppression list by any name: a restored backup may hold erased ones. */
export async function findSuppressed(
  { db, dialect }: Connection,
  { secret, afterEntityId, limit }: { secret: string; afterEntityId: number; limit: number },
): Promise<SuppressedFound> {
  const page = await db
    .selectFrom('entities')
    .select(['id', 'kind', 'key'])
    .where('id', '>', afterEntityId)
    .orderBy('id')
    .limit(limit)
    .execute()
  const last = page.at(-1)?.id
  if (last === undefined) return { found: [], next: afterEntityId, done: true }
  const aliases = await db
    .selectFrom('aliases')
    .select(['entity_id', 'kind', 'type', 'value'])
    .where('entity_id', '>', afterEntityId)
    .where('entity_id', '<=', last)
    .execute()
  const hashed = aliases.map((row) => ({ ...row, hash: suppressionHash(secret, row.kind, row) }))
  const listed = await suppressedAmong(
    db,
    dialect,
    hashed.map((row) => row.hash),
  )
  const hits = new Set(hashed.filter((row) => listed.has(row.hash)).map((row) => row.entity_id))
  const found = page.filter(({ id }) => hits.has(id)).map(({ id: entityId, kind, key }) => ({ entityId, kind, key }))
  return { found, next: last, done: page.length < limit }
}
