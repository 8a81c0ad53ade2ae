import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'
import { contactRows } from '../contact-index/contact-rows.ts'
import { aliasText, keyAlias } from '../identifiers/alias.ts'
import { payloadHash } from '../rows/archive.ts'
import { mentionsRow } from '../mentions/mention-rows.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import type { FetchedRecord } from './save-fetch.ts'
import { noFold } from '../filling/plan-fills.ts'
import { versionRow, wordRows } from '../rows/add-version.ts'

export interface ImportItem extends FetchedRecord {
  kind: Kind
  /** When the data was fetched from its source, which may be long before the import. */
  fetchedAt: number
}

/** A record whose names are all unknown to the store. */
export interface NewRecord {
  item: ImportItem
  aliases: Alias[]
  names: string[]
}

// One statement text for most batches, far below the limits of both engines.
const rowsAtOnce = 100

/** Writes records that are new to the store, many rows per statement. */
export async function insertNewRecords(
  { db: tx, dialect }: Connection,
  records: readonly NewRecord[],
  at: number,
): Promise<void> {
  for (const chunk of inChunks(records, rowsAtOnce)) {
    const entities = await insertEntities(tx, chunk, at)
    const rows = chunk.map((one) => ({
      ...one,
      entityId: entities.get(entityName(one.item.kind, one.item.identity.key)) ?? 0,
    }))
    const fetches = await insertFetches({ db: tx, dialect }, rows, at)
    await insertVersions({ db: tx, dialect }, rows, fetches)
    await insertMentions({ db: tx, dialect }, rows, fetches)
    const aliases = rows.flatMap(({ item, aliases, entityId }) =>
      aliases.map(({ type, value }) => ({
        kind: item.kind,
        type,
        value,
        entity_id: entityId,
        withdrawn: 0,
        not_found_at: null,
        seen_at: item.fetchedAt,
      })),
    )
    for (const some of inChunks(aliases, rowsAtOnce)) await tx.insertInto('aliases').values(some).execute()
    const contacts = rows.flatMap(({ item, entityId }) => contactRows(item.kind, entityId, item.contacts ?? [], at))
    for (const some of inChunks(contacts, rowsAtOnce)) await tx.insertInto('contact_index').values(some).execute()
    const words = rows.flatMap(({ item, entityId }) => wordRows(item.kind, entityId, item.texts.words))
    for (const some of inChunks(words, rowsAtOnce)) await tx.insertInto('entity_words').values(some).execute()
  }
}

type Owned = NewRecord & { entityId: number }

async function insertEntities(tx: Tx, chunk: readonly NewRecord[], at: number): Promise<Map<string, number>> {
  const rows = await tx
    .insertInto('entities')
    .values(
      chunk.map(({ item: { kind, identity, texts, provider, thin, fetchedAt } }) => ({
        kind,
        key: identity.key,
        derived: identity.derived ? 1 : 0,
        version_id: null,
        provider,
        fetched_at: fetchedAt,
        thin: thin ? 1 : 0,
        ...texts,
        created_at: fetchedAt,
        used_at: at,
      })),
    )
    .returning(['id', 'kind', 'key'])
    .execute()
  return new Map(rows.map((row) => [entityName(row.kind, row.key), row.id]))
}

function entityName(kind: Kind, key: string): string {
  return identifierKey({ kind, ...keyAlias(kind, key) })
}

async function insertFetches(
  { db: tx, dialect }: Connection,
  rows: readonly Owned[],
  at: number,
): Promise<Map<number, number>> {
  const hashed = rows.map(({ item, entityId }) => ({ item, entityId, hash: payloadHash(item.payload) }))
  await tx
    .insertInto('payloads')
    .values(
      hashed.map(({ item, hash }) => ({ hash, bytes: dialect.pack(item.payload), size: item.payload.byteLength, at })),
    )
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
  const made = await tx
    .insertInto('fetches')
    .values(
      hashed.map(({ item: { provider, kind, identity }, entityId, hash }) => {
        const facts = { provider, kind, at, status: null, outcome: 'imported', cost: null, duration_ms: null }
        return {
          ...facts,
          identifier: aliasText(keyAlias(kind, identity.key)),
          payload_hash: hash,
          entity_id: entityId,
          redacted: 0,
          checksum: dialect.checksum('fetches', facts),
        }
      }),
    )
    .returning(['id', 'entity_id'])
    .execute()
  return new Map(made.map((row) => [row.entity_id ?? 0, row.id]))
}

async function insertVersions(
  { db: tx, dialect }: Connection,
  rows: readonly Owned[],
  fetches: Map<number, number>,
): Promise<void> {
  await tx
    .insertInto('versions')
    .values(
      rows.map(({ item, entityId }) => ({
        entity_id: entityId,
        fetch_id: fetches.get(entityId) ?? null,
        ...versionRow(dialect, { ...item, units: item.units ?? null }),
      })),
    )
    .execute()
  await tx
    .updateTable('entities')
    .set({
      version_id: sql<number>`(select max(versions.id) from versions where versions.entity_id = entities.id)`,
      fold_id: noFold,
    })
    .where(
      'id',
      'in',
      rows.map((row) => row.entityId),
    )
    .execute()
}

async function insertMentions(
  { db: tx, dialect }: Connection,
  rows: readonly Owned[],
  fetches: Map<number, number>,
): Promise<void> {
  const made = rows.flatMap(({ item, entityId }) => {
    const fetchId = fetches.get(entityId)
    return fetchId === undefined ? [] : [mentionsRow(dialect, fetchId, [item.payload, item.body])]
  })
  if (made.length > 0) await tx.insertInto('mentions').values(made).execute()
}
