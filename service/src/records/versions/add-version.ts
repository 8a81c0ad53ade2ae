import type { Kind } from '@vitae/contract'
import type { Dialect, Tx } from '../../database/dialect.ts'
import { rawStatement, runRawStatement } from '../../database/sql/raw-statement.ts'
import { isAhead, dayMs } from '../../foundation/clock.ts'
import { pack, unpack } from './stored-copy.ts'
import type { Entity } from '../entities/resolve-entity.ts'
import { recordIn, serialised, withKey } from '../body/rewrite-record.ts'
import type { SearchTexts } from '../entities/search-texts.ts'
import { serveFirstVersion, serveNewVersion } from './serve-version.ts'

export interface NewVersion {
  fetchId: number | null
  provider: string
  projection: number
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  body: Uint8Array
  parts: string | null
}

const insertNew = rawStatement(`
  insert into versions
    (entity_id, fetch_id, provider, projection, fetched_at, source_updated_at, thin, body, parts)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`)

const fullerCopyLastsMs = 90 * dayMs

/**
 * Whether a version becomes the one that is served. A thin answer says too little to replace a fuller copy of the
 * last 90 days, and an answer that was overtaken on its way here does not replace the newer one. What comes now replaces
 * whatever says that it comes from the future: nobody knows how old that is.
 */
export function takesOver(
  current: { fetchedAt: number; thin: boolean } | null,
  next: { fetchedAt: number; thin: boolean },
  now: number,
): boolean {
  if (!current || (isAhead(current.fetchedAt, now) && !isAhead(next.fetchedAt, now))) return true
  if (next.fetchedAt < current.fetchedAt) return false
  return !(next.thin && !current.thin && next.fetchedAt - current.fetchedAt < fullerCopyLastsMs)
}

/** Adds a version to the entity's history, and serves it from now on if `takesOver` says so. */
export async function addVersion(
  tx: Tx,
  dialect: Dialect,
  kind: Kind,
  entity: Entity,
  version: NewVersion,
  texts: SearchTexts,
  now: number,
): Promise<{ versionId: number; served: boolean }> {
  const current = await versionFacts(tx, entity.versionId)
  const id = await insertVersion(tx, dialect, entity.id, version)

  const served = takesOver(current, version, now)
  if (entity.isNew) {
    await serveFirstVersion(tx, dialect, { kind, entityId: entity.id, versionId: id }, texts)
  } else if (served) {
    await serveNewVersion(tx, dialect, { kind, entityId: entity.id, versionId: id }, texts)
  } else if (entity.rekeyed && entity.versionId !== null) {
    await rekeyVersion(tx, kind, entity.versionId, entity.key)
  }
  return { versionId: id, served }
}

async function insertVersion(tx: Tx, dialect: Dialect, entityId: number, version: NewVersion): Promise<number> {
  const { fetchId, provider, projection, fetchedAt, sourceUpdatedAt, thin, body, parts } = version
  const values = [entityId, fetchId, provider, projection, fetchedAt, sourceUpdatedAt, thin ? 1 : 0, pack(body), parts]
  const [row] = await runRawStatement<{ id: number }>(tx, insertNew, dialect, values)
  if (!row) throw new Error('a version was given no id')
  return row.id
}

async function versionFacts(tx: Tx, id: number | null): Promise<{ fetchedAt: number; thin: boolean } | null> {
  if (id === null) return null
  const row = await tx.selectFrom('versions').select(['fetched_at', 'thin']).where('id', '=', id).executeTakeFirst()
  return row ? { fetchedAt: row.fetched_at, thin: row.thin === 1 } : null
}

/** The copy that stays in service must carry the key that the entity has now. Older versions stay as they were answered. */
async function rekeyVersion(tx: Tx, kind: Kind, id: number, key: string): Promise<void> {
  const row = await tx.selectFrom('versions').select('body').where('id', '=', id).executeTakeFirstOrThrow()
  const { body, parts } = serialised(kind, withKey(kind, recordIn(unpack(row.body)), key))
  await tx
    .updateTable('versions')
    .set({ body: pack(body), parts })
    .where('id', '=', id)
    .execute()
}
