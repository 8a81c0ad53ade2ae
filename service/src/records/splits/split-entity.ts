import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Dialect, Tx } from '../../database/engine/dialect.ts'
import { inChunks } from '../../database/sql/prepared.ts'
import { identifierKey, type Alias } from '../../foundation/identifier.ts'
import { recordIn, serialised, withKey } from '../body/rewrite-record.ts'
import { divideContacts } from '../contact-index/divide-contacts.ts'
import { aliasIn } from '../rows/alias-rows.ts'
import { holdRecords } from '../rows/locks.ts'
import { splitRecipients } from '../rows/recipient-rows.ts'
import { bestVersion } from '../entities/merge-entities.ts'
import { insertStranger } from '../entities/resolve-entity.ts'
import { searchTexts } from '../rows/search-texts.ts'
import { markSplit } from '../rows/split-marks.ts'
import { findRef, type EntityFound, type Ref } from '../identifiers/find-ref.ts'
import { keyAlias, readAliasText } from '../identifiers/alias.ts'
import { serveStoredVersion } from '../rows/add-version.ts'
import { unpack } from '../../database/packing/pack.ts'
import { divide, movedAliases, newestClaims, type Division, type VersionFacts } from './divide-split.ts'

/** A stored version, for code that parses its payload again. */
export interface StoredVersion {
  versionId: number
  fetchId: number | null
  provider: string
  fetchedAt: number
  asked: Alias | null
  body: Uint8Array
  /** Null once retention has removed it. */
  payload: Uint8Array | null
}

export interface SplitMaterial {
  entityId: number
  kind: Kind
  key: string
  versions: StoredVersion[]
}

/** All versions of an entity with their payloads; null if nothing is stored under the reference. */
export async function splitMaterial(
  { db }: Connection,
  { kind, ref }: { kind: Kind; ref: Ref },
): Promise<SplitMaterial | null> {
  const entity = await findRef(db, kind, ref)
  if (!entity) return null
  const rows = await db
    .selectFrom('versions')
    .leftJoin('fetches', 'fetches.id', 'versions.fetch_id')
    .leftJoin('payloads', 'payloads.hash', 'fetches.payload_hash')
    .select(['versions.id', 'versions.fetch_id', 'versions.provider', 'versions.fetched_at', 'versions.body'])
    .select(['fetches.identifier', 'payloads.bytes'])
    .where('versions.entity_id', '=', entity.id)
    .orderBy('versions.id')
    .execute()
  const versions = rows.map((row) => ({
    versionId: row.id,
    fetchId: row.fetch_id,
    provider: row.provider,
    fetchedAt: row.fetched_at,
    asked: readAliasText(row.identifier),
    body: unpack(row.body),
    payload: row.bytes ? unpack(row.bytes) : null,
  }))
  return { entityId: entity.id, kind, key: entity.key, versions }
}

/** One side of a split and its contents. */
export interface SplitSide {
  entityId: number
  key: string
  name: string | null
  versions: number
  fetches: number
  aliases: number
  watches: number
  contacts: number
}

export interface SplitDone {
  kept: SplitSide
  split: SplitSide
}

interface SplitEntity {
  kind: Kind
  entityId: number
  /** The fetches of one of the two subjects. */
  fetchIds: number[]
  facts: VersionFacts[]
  reason: string | null
  actor: string
  at: number
}

/**
 * Splits an entity in two. The versions of the named fetches are one subject, all others the other. Null if a fetch
 * does not belong to the entity, or if one side would be empty.
 */
export async function splitEntity({ db: tx, dialect }: Connection, args: SplitEntity): Promise<SplitDone | null> {
  const { kind, entityId, fetchIds, reason, actor, at } = args
  await holdRecords(tx, dialect)
  const entity = await tx.selectFrom('entities').selectAll().where('id', '=', entityId).executeTakeFirst()
  const stored = await tx.selectFrom('versions').select('id').where('entity_id', '=', entityId).execute()
  // Versions may have been removed since their payloads were read.
  const facts = args.facts.filter(({ versionId }) => stored.some(({ id }) => id === versionId))
  const isNamed = ({ fetchId }: VersionFacts) => fetchId !== null && fetchIds.includes(fetchId)
  const [named, others] = [facts.filter(isNamed), facts.filter((one) => !isNamed(one))]
  const isWhole = fetchIds.every((id) => named.some(({ fetchId }) => fetchId === id))
  if (!entity || named.length === 0 || others.length === 0 || !isWhole) return null

  const division = divide(entity.key, named, others)
  const made = await makeEntity(tx, dialect, entity, division, at)
  await moveVersions({ db: tx, dialect }, kind, division.moved, made)
  await moveAliases(tx, entity, division, made, at)
  await moveReferences(tx, entityId, division, made.id)
  await splitRecipients(tx, entityId, made)
  await divideContacts(tx, { kind, kept: side(entityId, division.kept), moved: side(made.id, division.moved) })
  for (const id of [entityId, made.id]) {
    const best = await bestVersion(tx, id)
    if (best !== null) await serveStoredVersion(tx, id, best)
  }
  await markSplit(tx, { kind, entityId, apartId: made.id, at })
  const done = { kept: await sideOf(tx, entityId), split: await sideOf(tx, made.id) }
  const { key: _key, name: _name, ...kept } = done.kept
  const { key: _otherKey, name: _otherName, ...split } = done.split
  const subject = `${kind}/${entityId}`
  await appendAudit(tx, dialect, { at, actor, action: 'record.split', subject, reason, after: { kept, split } })
  return done
}

function side(entityId: number, facts: VersionFacts[]) {
  return { entityId, facts }
}

interface Made {
  id: number
  key: string
}

async function makeEntity(
  tx: Tx,
  dialect: Dialect,
  { kind }: EntityFound,
  { moved, identity }: Division,
  at: number,
): Promise<Made> {
  const { id, key } = await insertStranger(tx, dialect, {
    kind,
    identity,
    aliases: [],
    fetchedAt: Math.min(...moved.map(({ fetchedAt }) => fetchedAt)),
    at,
    record: await recordOf(tx, moved.at(-1)?.versionId ?? 0),
  })
  return { id, key }
}

async function recordOf(tx: Tx, versionId: number) {
  const { provider, thin, body } = await tx
    .selectFrom('versions')
    .select(['provider', 'thin', 'body'])
    .where('id', '=', versionId)
    .executeTakeFirstOrThrow()
  const bytes = unpack(body)
  return { provider, thin: thin === 1, texts: searchTexts(recordIn(bytes)), body: bytes }
}

/** Moves versions to the new entity and replaces the key in them. */
async function moveVersions(
  { db: tx, dialect }: Connection,
  kind: Kind,
  moved: readonly VersionFacts[],
  made: Made,
): Promise<void> {
  for (const { versionId, identity, entityUrn } of moved) {
    const row = await tx.selectFrom('versions').select('body').where('id', '=', versionId).executeTakeFirstOrThrow()
    const record = recordIn(unpack(row.body))
    const stated = kind === 'people' && entityUrn !== null ? { entity_urn: entityUrn, member_urn: identity.key } : {}
    const { body, parts } = serialised(kind, withKey(kind, { ...record, ...stated }, made.key))
    await tx
      .updateTable('versions')
      .set({ entity_id: made.id, body: dialect.pack(body), parts })
      .where('id', '=', versionId)
      .execute()
  }
}

async function moveAliases(
  tx: Tx,
  { id, kind, key }: EntityFound,
  division: Division,
  made: Made,
  at: number,
): Promise<void> {
  const held = await tx.selectFrom('aliases').select(['type', 'value']).where('entity_id', '=', id).execute()
  const moved = movedAliases(kind, key, held, division)
  const kept = newestClaims(kind, division.kept)
  for (const chunk of inChunks(moved, 200))
    await tx.updateTable('aliases').set({ entity_id: made.id }).where(aliasIn(kind, chunk)).execute()
  const own = keyAlias(kind, made.key)
  await tx
    .insertInto('aliases')
    .values({ kind, ...own, entity_id: made.id, withdrawn: 0, not_found_at: null, seen_at: at })
    .onConflict((conflict) => conflict.columns(['kind', 'type', 'value']).doUpdateSet({ entity_id: made.id }))
    .execute()
  // An erasure by a name must find everyone who ever had it.
  const lost = [
    ...moved.filter((alias) => kept.has(identifierKey({ ...alias, kind }))).map((alias) => ({ ...alias, of: id })),
    ...slugsLost(kind, division, moved).map((alias) => ({ ...alias, of: made.id })),
  ]
  if (lost.length === 0) return
  await tx
    .insertInto('former_aliases')
    .values(lost.map(({ type, value, of }) => ({ kind, type, value, entity_id: of, until: at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Slugs of the new entity's payloads that it does not get. */
function slugsLost(kind: Kind, { moved }: Division, got: readonly Alias[]): Alias[] {
  const slugs = moved.flatMap(({ identity, asked }) => [...identity.aliases, ...(asked ? [asked] : [])])
  const lost = slugs.filter(
    ({ type, value }) => type === 'slug' && !got.some((one) => one.type === type && one.value === value),
  )
  return [...new Map(lost.map((alias) => [identifierKey({ ...alias, kind }), alias])).values()]
}

/** Moves fetches, events, watches and merged ids to the entity that they are about. */
async function moveReferences(tx: Tx, from: number, { moved }: Division, into: number): Promise<void> {
  const fetchIds = moved.flatMap(({ fetchId }) => fetchId ?? [])
  const versionIds = new Set(moved.map(({ versionId }) => versionId))
  for (const chunk of inChunks(fetchIds, 500))
    await tx.updateTable('fetches').set({ entity_id: into }).where('id', 'in', chunk).execute()
  const events = await tx.selectFrom('events').select(['id', 'data']).where('entity_id', '=', from).execute()
  const theirs = events.filter(({ data }) => versionIds.has(versionIn(data))).map(({ id }) => id)
  for (const chunk of inChunks(theirs, 500))
    await tx.updateTable('events').set({ entity_id: into }).where('id', 'in', chunk).execute()
  const aliases = await tx
    .selectFrom('aliases')
    .select(['kind', 'type', 'value'])
    .where('entity_id', '=', into)
    .execute()
  for (const { kind, type, value } of aliases) {
    const isWatched = aliasIn(kind, [{ type, value }])
    await tx.updateTable('watches').set({ entity_id: into }).where('entity_id', '=', from).where(isWatched).execute()
    await tx
      .updateTable('merged_entities')
      .set({ into_id: into })
      .where('into_id', '=', from)
      .where('key', '=', value)
      .execute()
  }
}

/** The version that a change event brought; 0 for any other event. */
function versionIn(data: string): number {
  const { to } = JSON.parse(data) as { to?: { version?: number } }
  return to?.version ?? 0
}

async function sideOf(tx: Tx, entityId: number): Promise<SplitSide> {
  const { key, name } = await tx
    .selectFrom('entities')
    .select(['key', 'name'])
    .where('id', '=', entityId)
    .executeTakeFirstOrThrow()
  const count = async (table: 'versions' | 'fetches' | 'aliases' | 'watches' | 'contact_index') => {
    const { total } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .where('entity_id', '=', entityId)
      .executeTakeFirstOrThrow()
    return Number(total)
  }
  return {
    entityId,
    key,
    name,
    versions: await count('versions'),
    fetches: await count('fetches'),
    aliases: await count('aliases'),
    watches: await count('watches'),
    contacts: await count('contact_index'),
  }
}
