import type { Kind } from '@vitae/contract'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { runPrepared, sendPrepared } from '../../database/sql/prepared.ts'
import { ageOf, isAhead, dayMs } from '../../foundation/clock.ts'
import { unpack } from '../../database/packing/pack.ts'
import { recordIn, serialised, withKey } from '../body/rewrite-record.ts'
import { type SearchTexts, recordInBody, searchTexts } from './search-texts.ts'
import { sql } from 'kysely'
import type { EntityWordRow } from '../../database/tables/records.ts'
import { noFold } from '../filling/plan-fills.ts'
import type { Alias } from '../../foundation/identifier.ts'

export interface NewVersion {
  fetchId: number | null
  provider: string
  projection: number
  fetchedAt: number
  sourceUpdatedAt: number | null
  thin: boolean
  body: Uint8Array
  parts: string | null
  unsaid?: string | null
  /** The state of each unit, see `unitStates`. */
  units: string | null
}

const insertNew = `
  insert into versions
    (entity_id, fetch_id, provider, projection, fetched_at, source_updated_at, thin, body, parts, unsaid, units,
     checksum)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) returning id`

const fullerCopyLastsMs = 90 * dayMs

/**
 * Whether a version becomes the served one. A thin answer does not replace a fuller copy of the last 90 days, and an
 * overtaken answer does not replace a newer one. A version dated in the future is replaced by any current one, because
 * its real age is unknown.
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

/** Whether a base is young and full enough to stay the base after a fetch that was made only to fill it. */
function staysBase(
  current: { fetchedAt: number; thin: boolean } | null,
  now: number,
  fillsWithinMs: number | undefined,
): boolean {
  if (!current || current.thin || fillsWithinMs === undefined) return false
  const age = ageOf(current.fetchedAt, now)
  return age !== null && age <= fillsWithinMs
}

/** Adds a version to the entity's history and serves it if `takesOver` allows it. */
export async function addVersion(
  tx: Tx,
  dialect: Dialect,
  kind: Kind,
  entity: Entity,
  version: NewVersion,
  texts: SearchTexts,
  { at: now, fillsWithinMs }: { at: number; fillsWithinMs?: number | undefined },
): Promise<{ versionId: number; served: boolean }> {
  const current = await versionFacts(tx, entity.versionId)
  const id = await insertVersion(tx, dialect, entity.id, version)

  const served = !staysBase(current, now, fillsWithinMs) && takesOver(current, version, now)
  if (entity.isNew) {
    await serveFirstVersion(tx, dialect, { kind, entityId: entity.id, versionId: id }, texts)
  } else if (served) {
    await serveNewVersion(tx, dialect, { kind, entityId: entity.id, versionId: id }, texts)
  } else if (entity.rekeyed && entity.versionId !== null) {
    await rekeyVersion(tx, dialect, { kind, id: entity.versionId, key: entity.key })
  }
  return { versionId: id, served }
}

async function insertVersion(tx: Tx, dialect: Dialect, entityId: number, version: NewVersion): Promise<number> {
  const row = versionRow(dialect, version)
  const { provider, projection, fetched_at, source_updated_at, thin, body, parts, unsaid, units, checksum } = row
  const facts = [entityId, version.fetchId, provider, projection, fetched_at, source_updated_at, thin]
  const values = [...facts, body, parts, unsaid, units, checksum]
  const [made] = await runPrepared<{ id: number }>(tx, dialect, insertNew, values)
  if (!made) throw new Error('a version was given no id')
  return made.id
}

/** The row of a version, without its entity and its fetch. */
export function versionRow(dialect: Dialect, version: Omit<NewVersion, 'fetchId'>) {
  const { provider, projection, fetchedAt, sourceUpdatedAt, thin, body, parts, unsaid = null, units } = version
  const facts = { provider, projection, fetched_at: fetchedAt, source_updated_at: sourceUpdatedAt, thin: thin ? 1 : 0 }
  const row = { ...facts, unsaid, units }
  return { ...row, body: dialect.pack(body), parts, checksum: dialect.checksum('versions', row) }
}

async function versionFacts(tx: Tx, id: number | null): Promise<{ fetchedAt: number; thin: boolean } | null> {
  if (id === null) return null
  const row = await tx.selectFrom('versions').select(['fetched_at', 'thin']).where('id', '=', id).executeTakeFirst()
  return row ? { fetchedAt: row.fetched_at, thin: row.thin === 1 } : null
}

interface Rekeyed {
  kind: Kind
  id: number
  key: string
}

/** The served copy must carry the entity's current key. Older versions stay as they were answered. */
async function rekeyVersion(tx: Tx, dialect: Dialect, { kind, id, key }: Rekeyed): Promise<void> {
  const row = await tx.selectFrom('versions').select('body').where('id', '=', id).executeTakeFirstOrThrow()
  const { body, parts } = serialised(kind, withKey(kind, recordIn(unpack(row.body)), key))
  await tx
    .updateTable('versions')
    .set({ body: dialect.pack(body), parts })
    .where('id', '=', id)
    .execute()
}

// The list of records is sorted and filtered by these facts, so they are stored in the table with its indexes.
const facts = 'version_id = v.id, provider = v.provider, fetched_at = v.fetched_at, thin = v.thin'
// A record without a name keeps the known one.
const serve = `
  update entities set ${facts}, name = coalesce(cast(? as text), entities.name)
  from versions as v where v.id = ? and entities.id = ?`
const setVersion = `update entities set version_id = ?, fold_id = ${noFold} where id = ?`
const selectWords = 'select words from entities where id = ?'
const writeWords = 'update entities set words = ? where id = ?'
const insertWordRows = 'insert into entity_words (kind, word, entity_id) values [items] on conflict do nothing'

interface NewlyServed {
  kind: Kind
  entityId: number
  versionId: number
}

/** Serves the first version of an entity that was inserted with its facts and words. */
async function serveFirstVersion(tx: Tx, dialect: Dialect, served: NewlyServed, texts: SearchTexts): Promise<void> {
  await sendPrepared(tx, dialect, setVersion, [served.versionId, served.entityId])
  await insertWords(tx, dialect, served, texts)
}

/** Makes a new version the served one and updates the search. */
async function serveNewVersion(tx: Tx, dialect: Dialect, served: NewlyServed, texts: SearchTexts): Promise<void> {
  const { entityId, versionId } = served
  await sendPrepared(tx, dialect, serve, [texts.name, versionId, entityId])
  const [before] = await runPrepared<{ words: string | null }>(tx, dialect, selectWords, [entityId])
  if (texts.words === '' || before?.words === texts.words) return
  if (before?.words) await forgetWords(tx, [entityId])
  await insertWords(tx, dialect, served, texts)
  await sendPrepared(tx, dialect, writeWords, [texts.words, entityId])
}

async function insertWords(
  tx: Tx,
  dialect: Dialect,
  { kind, entityId }: NewlyServed,
  { words }: SearchTexts,
): Promise<void> {
  if (words === '') return
  const values = words.split(' ').flatMap((word) => [kind, word, entityId])
  await sendPrepared(tx, dialect, { text: insertWordRows, item: '(?, ?, ?)', count: values.length / 3 }, values)
}

/** Makes a stored version the served one. The previous version's words are removed from the search. */
export async function serveStoredVersion(tx: Tx, entityId: number, versionId: number): Promise<void> {
  const { body, kind } = await tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.body', 'entities.kind'])
    .where('versions.id', '=', versionId)
    .executeTakeFirstOrThrow()
  const { name, words } = searchTexts(recordInBody(body))
  await forgetWords(tx, [entityId])
  await sql`update entities set ${sql.raw(facts)}, fold_id = null, name = ${name}, words = ${words}
    from versions as v where v.id = ${versionId} and entities.id = ${entityId}`.execute(tx)
  const rows = wordRows(kind, entityId, words)
  if (rows.length > 0) await tx.insertInto('entity_words').values(rows).execute()
}

/** The same as a store operation, for a version that was fetched to fill and has what the base lacks. */
export async function serveVersion(
  { db: tx }: Connection,
  { entityId, versionId }: { entityId: number; versionId: number },
): Promise<void> {
  const isThere = await tx
    .selectFrom('versions')
    .select('id')
    .where('id', '=', versionId)
    .where('entity_id', '=', entityId)
    .executeTakeFirst()
  if (isThere) await serveStoredVersion(tx, entityId, versionId)
}

/** The search rows of an entity. */
export function wordRows(kind: Kind, entityId: number, words: string): EntityWordRow[] {
  return words === '' ? [] : words.split(' ').map((word) => ({ kind, word, entity_id: entityId }))
}

/** Removes entities from the search. */
export async function forgetWords(tx: Tx, entityIds: readonly number[]): Promise<void> {
  const rows = await tx.selectFrom('entities').select(['id', 'kind', 'words']).where('id', 'in', entityIds).execute()
  for (const { id, kind, words } of rows) {
    if (!words) continue
    await tx
      .deleteFrom('entity_words')
      .where('kind', '=', kind)
      .where('word', 'in', words.split(' '))
      .where('entity_id', '=', id)
      .execute()
  }
}

/** A merged record as it was before the merge. */
export interface MergedSide {
  versionIds: ReadonlySet<number>
  /** The environments that watched it. */
  watchedBy: ReadonlySet<number>
}

/** The entity that a save belongs to. */
export interface Entity {
  id: number
  key: string
  versionId: number | null
  /** Newly created from its first version. */
  isNew: boolean
  /** Entities that were just merged into this one. */
  absorbed: number[]
  /** The state of each merged entity and of this one before the merge; empty if nothing was merged. */
  sides: MergedSide[]
  /** Its key may have changed, so the served copy must be updated to it. */
  rekeyed: boolean
  /** Other entities hold some of its names, or held them until now. */
  contested: boolean
  /** The names that point to it from now on. */
  names: Alias[]
}
