import type { Kind } from '@vitae/contract'
import { removeFoldsOf } from '../../../records/versions/fold-rows.ts'
import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Tx } from '../../../database/engine/dialect.ts'
import { noteBytesLeft } from '../../../database/residue.ts'
import { removeExportsOfRecords } from '../../../database/sql/exports-of-records.ts'
import { deliveryAnswers, removeDeliveries } from '../../../events/webhooks/store/log-operations.ts'
import { identifierKey, type Alias } from '../../../foundation/identifier.ts'
import { removeCompanyPages } from '../../../records/rows/company-pages.ts'
import { contactsOf, removeContacts } from '../../../records/contact-index/contact-rows.ts'
import { removeSplits } from '../../../records/rows/split-marks.ts'
import { aliasIn } from '../../../records/rows/alias-rows.ts'
import { aliasText, idOfPage, keyAlias } from '../../../records/identifiers/alias.ts'
import { forgetMentions } from '../../../records/mentions/mention-rows.ts'
import { dropUnusedPayloads } from '../../../records/rows/archive.ts'
import { inChunks } from '../../../database/sql/prepared.ts'
import { bytesOfEntities, bytesOfName } from './sqlite-residue/deleted-bytes.ts'
import { eraseRecipients, markErased } from './notify-recipients.ts'
import { holdRecords } from '../../../records/rows/locks.ts'
import type { DeletedBytes } from '../../../database/sqlite/reader/residue-search.ts'
import { suppressionHash } from '../../../records/suppression/suppression-hash.ts'
import {
  insertSuppressions,
  linkNames,
  noteRewrite,
  suppressedAmong,
} from '../../../records/suppression/suppressions.ts'
import { forgetWords } from '../../../records/rows/add-version.ts'

export interface EraseEntity {
  kind: Kind
  entityIds: number[]
  /** Names to suppress in addition to those of the entities. */
  aliases: Alias[]
  /** Keys the suppression list; it is used here and never stored. */
  secret: string
  reason: string | null
  actor: string
  at: number
}

export interface Erased {
  entities: number
  versions: number
  fetches: number
  payloads: number
  suppressed: number
  /** The hashes of names that were not on the suppression list before. */
  hashes: string[]
  /** The deleted bytes, so that the files can be searched for them. */
  deleted: DeletedBytes
}

/**
 * Removes entities with everything stored about them and suppresses their names in one transaction. A fetch in progress
 * cannot write them again, because it checks for suppression behind the same lock.
 */
export async function eraseEntity({ db: tx, dialect }: Connection, args: EraseEntity): Promise<Erased> {
  const { kind, entityIds, secret, reason, actor, at } = args
  await holdRecords(tx, dialect)
  const names = await namesToSuppress(tx, args)
  const hashes = names.map((alias) => suppressionHash(secret, kind, alias))
  const listed = await suppressedAmong(tx, dialect, hashes)
  const suppressed = await insertSuppressions(
    tx,
    hashes.map((hash) => ({ hash, kind, origin: 'erasure', reason, createdAt: at })),
  )
  await linkNames(tx, [hashes])
  const deleted = await bytesOfEntities(tx, entityIds)
  deleted.texts.push(...names.flatMap((alias) => bytesOfName(kind, alias)))
  deleted.texts.push(...(await deliveryAnswers(tx, entityIds)))
  deleted.texts.push(...(await removeWatches(tx, kind, entityIds, names)))
  const held = await tx
    .selectFrom('entities')
    .select(['id', 'key'])
    .where('id', 'in', [...entityIds, -1])
    .execute()
  const records = [
    ...held.map(({ id, key }) => ({ entityId: id, key })),
    // A record that was purged before is known only by its key.
    ...names.map(({ value }) => ({ entityId: -1, key: value })),
  ]
  await eraseRecipients({ db: tx, dialect }, { kind, records, at })
  await markErased(tx, entityIds, at)
  await removeExportsOfRecords(tx)
  const removed = await removeEntities(tx, entityIds)
  const loose = await forgetNames(tx, kind, names)
  const erased = {
    entities: removed.entities,
    versions: removed.versions,
    fetches: removed.fetches + loose.fetches,
    payloads: removed.payloads + loose.payloads,
    suppressed,
  }
  // The log outlives the subject, so it names nobody: the id of a deleted row identifies no one.
  const subject = entityIds.map((id) => `${kind}/${id}`).join(' ') || null
  await appendAudit(tx, dialect, { at, actor, action: 'record.erase', subject, reason, after: erased })
  await noteRewrite(tx, hashes, (await noteBytesLeft({ db: tx, dialect }, at)) ?? 0)
  return { ...erased, hashes: hashes.filter((hash) => !listed.has(hash)), deleted }
}

/**
 * All current and former names of the entities, except those that another entity holds now, because that one is not
 * erased.
 */
async function namesToSuppress(tx: Tx, { kind, entityIds, aliases }: EraseEntity): Promise<Alias[]> {
  const names = new Map<string, Alias>()
  const nameKey = (alias: Alias) => identifierKey({ ...alias, kind })
  for (const alias of aliases) names.set(nameKey(alias), alias)
  for (const chunk of inChunks(entityIds, 500)) {
    const held = await tx.selectFrom('aliases').select(['type', 'value']).where('entity_id', 'in', chunk).execute()
    const former = await tx
      .selectFrom('former_aliases')
      .select(['type', 'value'])
      .where('entity_id', 'in', chunk)
      .execute()
    const keys = await tx.selectFrom('entities').select('key').where('id', 'in', chunk).execute()
    const all = [...held, ...former, ...(await contactsOf(tx, chunk)), ...keys.map(({ key }) => keyAlias(kind, key))]
    for (const alias of all) names.set(nameKey(alias), alias)
  }
  // People's records may name a company by an id derived from its page.
  const pages = kind === 'companies' ? [...names.values()].flatMap(idOfPage) : []
  for (const alias of pages) names.set(nameKey(alias), alias)
  for (const chunk of inChunks([...names.values()], 200)) {
    const taken = await tx
      .selectFrom('aliases')
      .select(['type', 'value'])
      .where(aliasIn(kind, chunk))
      .where('entity_id', 'not in', [...entityIds, -1])
      .execute()
    for (const alias of taken) names.delete(nameKey(alias))
  }
  return [...names.values()]
}

/**
 * Removes entities with their names, versions, fetches and payloads. It suppresses nothing, because retention uses it
 * too.
 */
export async function removeEntities(
  tx: Tx,
  entityIds: readonly number[],
): Promise<{ entities: number; versions: number; fetches: number; payloads: number }> {
  const sum = { entities: 0, versions: 0, fetches: 0, payloads: 0 }
  for (const ids of inChunks(entityIds, 200)) {
    await removeFoldsOf(tx, ids)
    await tx
      .deleteFrom('paid_versions')
      .where('version_id', 'in', (query) => query.selectFrom('versions').select('id').where('entity_id', 'in', ids))
      .execute()
    const versions = await tx.deleteFrom('versions').where('entity_id', 'in', ids).executeTakeFirst()
    const gone = tx.deleteFrom('fetches').where('entity_id', 'in', ids)
    const fetches = await gone.returning(['id', 'payload_hash']).execute()
    await forgetMentions(
      tx,
      fetches.map(({ id }) => id),
    )
    sum.payloads += await dropUnusedPayloads(tx, [...new Set(fetches.flatMap((row) => row.payload_hash ?? []))])
    await tx.deleteFrom('aliases').where('entity_id', 'in', ids).execute()
    await tx.deleteFrom('former_aliases').where('entity_id', 'in', ids).execute()
    await removeContacts(tx, ids)
    await tx.deleteFrom('merged_entities').where('into_id', 'in', ids).execute()
    await removeSplits(tx, ids)
    await tx.deleteFrom('events').where('entity_id', 'in', ids).execute()
    await tx.updateTable('watches').set({ entity_id: null }).where('entity_id', 'in', ids).execute()
    await removeDeliveries(tx, ids)
    await forgetWords(tx, ids)
    const entities = await tx.deleteFrom('entities').where('id', 'in', ids).executeTakeFirst()
    sum.versions += Number(versions.numDeletedRows)
    sum.fetches += fetches.length
    sum.entities += Number(entities.numDeletedRows)
  }
  return sum
}

/** Removes the watches of entities and names; returns their notes, which may name the subject too. */
async function removeWatches(
  tx: Tx,
  kind: Kind,
  entityIds: readonly number[],
  names: readonly Alias[],
): Promise<Uint8Array[]> {
  const notes: (string | null)[] = []
  for (const ids of inChunks(entityIds, 200)) {
    const removed = await tx.deleteFrom('watches').where('entity_id', 'in', ids).returning('note').execute()
    notes.push(...removed.map((row) => row.note))
  }
  for (const chunk of inChunks(names, 200)) {
    const removed = await tx.deleteFrom('watches').where(aliasIn(kind, chunk)).returning('note').execute()
    notes.push(...removed.map((row) => row.note))
  }
  return notes.flatMap((note) => (note === null ? [] : [new Uint8Array(Buffer.from(note))]))
}

/** Removes data under a name that belongs to no entity: remembered misses, faults, requests of others. */
async function forgetNames(
  tx: Tx,
  kind: Kind,
  names: readonly Alias[],
): Promise<{ fetches: number; payloads: number }> {
  const sum = { fetches: 0, payloads: 0 }
  for (const chunk of inChunks(names, 200)) {
    await tx.deleteFrom('aliases').where(aliasIn(kind, chunk)).execute()
    await tx.deleteFrom('former_aliases').where(aliasIn(kind, chunk)).execute()
    if (kind === 'companies') await removeCompanyPages(tx, chunk)
    const asked = chunk.map(aliasText)
    const loose = await tx
      .deleteFrom('fetches')
      .where('kind', '=', kind)
      .where('identifier', 'in', asked)
      .where('entity_id', 'is', null)
      .returning(['id', 'payload_hash'])
      .execute()
    await forgetMentions(
      tx,
      loose.map(({ id }) => id),
    )
    sum.fetches += loose.length
    sum.payloads += await dropUnusedPayloads(tx, [...new Set(loose.flatMap((row) => row.payload_hash ?? []))])
    await tx
      .updateTable('fetches')
      .set({ identifier: null })
      .where('kind', '=', kind)
      .where('identifier', 'in', asked)
      .execute()
    await tx
      .updateTable('call_details')
      .set({ identifier: null })
      .where('kind', '=', kind)
      .where('identifier', 'in', asked)
      .execute()
  }
  return sum
}
