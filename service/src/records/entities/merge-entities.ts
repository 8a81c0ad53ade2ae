import type { Kind } from '@vitae/contract'
import type { Tx } from '../../database/engine/dialect.ts'
import { mergeRecipients } from '../rows/recipient-rows.ts'
import { moveSplits } from '../rows/split-marks.ts'
import { moveContacts } from '../contact-index/contact-rows.ts'
import { serveStoredVersion, forgetWords, type MergedSide } from '../rows/add-version.ts'

interface Merge {
  kind: Kind
  from: number
  /** The key of the entity that is removed. */
  key: string
  into: number
  at: number
}

/**
 * Merges two entities: names, versions and fetches move to the survivor, which keeps the earlier creation time. Calls
 * keep their entity id, which `merged_entities` resolves: a lookup must not wait while millions of log rows are
 * rewritten. For the same reason environments are notified later (`lifecycle/merges`).
 */
export async function mergeEntities(tx: Tx, { kind, from, key, into, at }: Merge): Promise<void> {
  await tx.updateTable('aliases').set({ entity_id: into }).where('entity_id', '=', from).execute()
  await tx.updateTable('versions').set({ entity_id: into }).where('entity_id', '=', from).execute()
  await tx.updateTable('fetches').set({ entity_id: into }).where('entity_id', '=', from).execute()
  await tx.updateTable('events').set({ entity_id: into }).where('entity_id', '=', from).execute()
  await tx.updateTable('watches').set({ entity_id: into }).where('entity_id', '=', from).execute()
  await moveFormerAliases(tx, from, into)
  await moveContacts(tx, from, into)
  await moveSplits(tx, from, into)
  await mergeRecipients(tx, from, into)
  await tx.updateTable('merged_entities').set({ into_id: into }).where('into_id', '=', from).execute()
  await tx.insertInto('merged_entities').values({ id: from, into_id: into, kind, key, at, notified: 0 }).execute()
  const { first } = await tx
    .selectFrom('entities')
    .select((eb) => eb.fn.min('created_at').as('first'))
    .where('id', 'in', [from, into])
    .executeTakeFirstOrThrow()
  await tx.updateTable('entities').set({ created_at: first }).where('id', '=', into).execute()
  const best = await bestVersion(tx, into)
  if (best !== null) await serveStoredVersion(tx, into, best)
  await forgetWords(tx, [from])
  await tx.deleteFrom('entities').where('id', '=', from).execute()
}

async function moveFormerAliases(tx: Tx, from: number, into: number): Promise<void> {
  const rows = await tx.deleteFrom('former_aliases').where('entity_id', '=', from).returningAll().execute()
  if (rows.length === 0) return
  await tx
    .insertInto('former_aliases')
    .values(rows.map((row) => ({ ...row, entity_id: into })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The state of an entity before a merge. */
export async function sideOf(tx: Tx, entityId: number): Promise<MergedSide> {
  const versions = await tx.selectFrom('versions').select('id').where('entity_id', '=', entityId).execute()
  const watches = await tx.selectFrom('watches').select('account_id').where('entity_id', '=', entityId).execute()
  return {
    versionIds: new Set(versions.map(({ id }) => id)),
    watchedBy: new Set(watches.map(({ account_id: id }) => id)),
  }
}

/** The version to serve: the newest full one, or the newest of all if none is full. */
export async function bestVersion(tx: Tx, entityId: number): Promise<number | null> {
  const row = await tx
    .selectFrom('versions')
    .select('id')
    .where('entity_id', '=', entityId)
    .orderBy('thin')
    .orderBy('fetched_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}
