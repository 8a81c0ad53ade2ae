import { appendAudit } from '../../../audit/audit.ts'
import type { Connection, Dialect, Tx } from '../../../database/engine/dialect.ts'
import { noteBytesLeft } from '../../../database/residue.ts'
import { holdRecords } from '../../../records/rows/locks.ts'
import { bestVersion } from '../../../records/entities/merge-entities.ts'
import { notifyOfPurge } from '../erasure/notify-recipients.ts'
import { removeEntities } from '../erasure/erase-entity.ts'
import { removeOwnContacts } from '../../../records/contact-index/contact-rows.ts'
import { forgetMentions } from '../../../records/mentions/mention-rows.ts'
import { dropUnusedPayloads } from '../../../records/rows/archive.ts'
import { removeFolds } from '../../../records/versions/fold-rows.ts'
import { cursorAfter, type StepChunk, type StepCursor } from './run-steps.ts'
import { serveStoredVersion } from '../../../records/rows/add-version.ts'

/** The stored data of one provider. */
export interface PurgeCounts {
  /** Records without a version from any other provider. */
  entities: number
  versions: number
  fetches: number
  payloads: number
  /** The provider's own ids. */
  names: number
  /** Stored answers to retries. */
  replays: number
}

export const purgeSteps = ['versions', 'fetches', 'names'] as const
export type PurgeStep = (typeof purgeSteps)[number]

interface ChunkArgs {
  provider: string
  cursor: StepCursor<PurgeStep>
  /** The number of rows to process. */
  limit: number
  /** Count only. */
  dryRun: boolean
  reason: string | null
  actor: string
  at: number
}

type StepArgs = ChunkArgs & { dialect: Dialect }

interface Step {
  counts: Partial<PurgeCounts>
  next: number | null
}

/** All counts zero. */
export function noPurgeCounts(): PurgeCounts {
  return { entities: 0, versions: 0, fetches: 0, payloads: 0, names: 0, replays: 0 }
}

const steps = { versions: purgeVersions, fetches: purgeFetches, names: purgeNames }

/** Removes one provider's data among the next rows, in one short, audited transaction. Nobody is suppressed. */
export async function purgeProviderChunk(
  { db: tx, dialect }: Connection,
  args: ChunkArgs,
): Promise<StepChunk<PurgeStep, PurgeCounts>> {
  const { provider, cursor, dryRun, reason, actor, at } = args
  if (!dryRun) await holdRecords(tx, dialect)
  const { counts: found, next } = await steps[cursor.step](tx, { ...args, dialect })
  const counts = { ...noPurgeCounts(), ...found }
  if (!dryRun && Object.values(counts).some((count) => count > 0)) {
    await appendAudit(tx, dialect, { at, actor, action: 'records.purge', subject: provider, reason, after: found })
    await noteBytesLeft({ db: tx, dialect }, at)
  }
  return { counts, next: cursorAfter(purgeSteps, cursor.step, next) }
}

/** Versions, the replays that they answer, and records that are left without any version. */
async function purgeVersions(tx: Tx, args: StepArgs): Promise<Step> {
  const { provider, cursor, limit, dryRun, dialect, at } = args
  const page = await tx
    .selectFrom('versions')
    .select(['id', 'entity_id', 'provider'])
    .where('id', '>', cursor.after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const next = nextOf(page, limit)
  const own = page.filter((row) => row.provider === provider)
  if (own.length === 0) return { counts: {}, next }
  const ids = own.map((row) => row.id)
  const replays = await tx.selectFrom('idempotency').select('version_id').where('version_id', 'in', ids).execute()
  const counts = { versions: own.length, replays: replays.length }
  const entityIds = [...new Set(own.map((row) => row.entity_id))]
  if (dryRun) return { counts: { ...counts, entities: await firstOfOwn(tx, provider, entityIds, ids) }, next }
  // Only the answer is removed. The payment record stays, so that no retry pays again.
  await tx.updateTable('idempotency').set({ version_id: null, checksum: null }).where('version_id', 'in', ids).execute()
  await tx.deleteFrom('paid_versions').where('version_id', 'in', ids).execute()
  await removeFolds(tx, ids)
  await tx.deleteFrom('versions').where('id', 'in', ids).execute()
  return { counts: { ...counts, ...(await serveWhatIsLeft(tx, entityIds, { dialect, at })) }, next }
}

/**
 * The number of entities that have only versions of this provider and their first one among these, so that each counts
 * once.
 */
async function firstOfOwn(tx: Tx, provider: string, entityIds: number[], ids: number[]): Promise<number> {
  const rows = await tx
    .selectFrom('versions')
    .select((eb) => ['entity_id', eb.fn.min('id').as('first')])
    .where('entity_id', 'in', entityIds)
    .groupBy('entity_id')
    .having((eb) => eb.fn.count(eb.case().when('provider', '<>', provider).then(1).end()), '=', 0)
    .execute()
  return rows.filter(({ first }) => ids.includes(Number(first))).length
}

/**
 * Entities serve their best remaining version, and are found by its name; entities without one are removed. The contact
 * details of that version find the entity again after it is next fetched or projected.
 */
export async function serveWhatIsLeft(
  tx: Tx,
  entityIds: readonly number[],
  { dialect, at }: { dialect: Dialect; at: number },
): Promise<Pick<PurgeCounts, 'entities' | 'fetches' | 'payloads'>> {
  const empty: number[] = []
  for (const id of entityIds) {
    const best = await bestVersion(tx, id)
    if (best === null) {
      empty.push(id)
      continue
    }
    const before = await tx.selectFrom('entities').select('version_id').where('id', '=', id).executeTakeFirst()
    if (before?.version_id !== best) await removeOwnContacts(tx, id)
    await serveStoredVersion(tx, id, best)
  }
  await notifyOfPurge(tx, dialect, empty, at)
  const { entities, fetches, payloads } = await removeEntities(tx, empty)
  return { entities, fetches, payloads }
}

/** The provider's answers: found, not found and faulty ones, with their raw payloads. */
async function purgeFetches(tx: Tx, { provider, cursor, limit, dryRun }: ChunkArgs): Promise<Step> {
  const page = await tx
    .selectFrom('fetches')
    .select(['id', 'provider', 'payload_hash'])
    .where('id', '>', cursor.after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const next = nextOf(page, limit)
  const own = page.filter((row) => row.provider === provider)
  if (own.length === 0) return { counts: {}, next }
  const ids = own.map((row) => row.id)
  const hashes = [...new Set(own.flatMap((row) => row.payload_hash ?? []))]
  if (dryRun) return { counts: { fetches: own.length, payloads: await firstPayloads(tx, hashes, ids) }, next }
  await tx.deleteFrom('fetches').where('id', 'in', ids).execute()
  await forgetMentions(tx, ids)
  return { counts: { fetches: own.length, payloads: await dropUnusedPayloads(tx, hashes) }, next }
}

/** The number of payloads whose first fetch is among these, so that a shared one counts once. */
async function firstPayloads(tx: Tx, hashes: string[], ids: number[]): Promise<number> {
  if (hashes.length === 0) return 0
  const rows = await tx
    .selectFrom('fetches')
    .select((eb) => eb.fn.min('id').as('first'))
    .where('payload_hash', 'in', hashes)
    .groupBy('payload_hash')
    .execute()
  return rows.filter(({ first }) => ids.includes(Number(first))).length
}

/** The ids by which only this provider knows an entity. */
async function purgeNames(tx: Tx, { provider, limit, dryRun }: ChunkArgs): Promise<Step> {
  const held = tx.selectFrom('aliases').where('type', '=', provider)
  if (dryRun) {
    const all = await held.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return { counts: { names: Number(all.count) }, next: null }
  }
  const page = await held.select(['kind', 'value']).limit(limit).execute()
  for (const { kind, value } of page) {
    const row = tx.deleteFrom('aliases').where('kind', '=', kind).where('type', '=', provider)
    await row.where('value', '=', value).execute()
  }
  await tx.deleteFrom('former_aliases').where('type', '=', provider).execute()
  return { counts: { names: page.length }, next: page.length < limit ? null : 0 }
}

/** The start of the next chunk; null after the last one. */
export function nextOf(page: readonly { id: number }[], limit: number): number | null {
  return page.length < limit ? null : (page.at(-1)?.id ?? null)
}
