import type { Kind, PersonPart } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import type { StoredBatch } from './submit-batch.ts'
import { isAmong, containing } from '../../database/sql/expressions.ts'

interface Named {
  environmentId: number
  publicId: string
}

const isSeen = ['queued', 'running', 'paused', 'completed', 'cancelled', 'failed'] as const
const isUnfinished = ['queued', 'running', 'paused'] as const

/** A batch of this environment; null for another environment's, and while its input is still being read. */
export async function showBatch({ db }: Connection, { environmentId, publicId }: Named): Promise<StoredBatch | null> {
  const row = await db
    .selectFrom('batches')
    .selectAll()
    .where('public_id', '=', publicId)
    .where('account_id', '=', environmentId)
    .where('status', 'in', isSeen)
    .executeTakeFirst()
  return row ?? null
}

interface ListBatches {
  environmentId: number
  mode: StoredBatch['mode']
  /** Null = both. */
  kinds: Kind[] | null
  /** Batches of people that ask for one of these parts are left out. */
  hiddenParts: PersonPart[]
  before: number | null
  limit: number
}

/** The batches of an environment that a key may access, newest first, before the number `before`. */
export async function listBatches(
  { db, dialect }: Connection,
  { environmentId, mode, kinds, hiddenParts, before, limit }: ListBatches,
): Promise<StoredBatch[]> {
  return db
    .selectFrom('batches')
    .selectAll()
    .where('account_id', '=', environmentId)
    .where('mode', '=', mode)
    .where('status', 'in', isSeen)
    .$if(kinds !== null, (query) => query.where(isAmong('kind', kinds ?? [])))
    .$if(hiddenParts.length > 0, (query) =>
      query.where(({ eb, not, and, or }) => {
        const asks = hiddenParts.map((part) => eb(dialect.jsonText('options', ['include', part]), 'in', ['true', '1']))
        return not(and([eb('kind', '=', 'people'), or(asks)]))
      }),
    )
    .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Cancels a batch. Rows in progress finish first; cancelling a finished batch does nothing. */
export async function cancelBatch(
  { db: tx, dialect }: Connection,
  { environmentId, publicId, at, expiresAt, actor }: Named & { at: number; expiresAt: number; actor?: string },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('batches')
    .set({ status: 'cancelled', reason: null, resume_at: null, lease_until: 0, ended_at: at, expires_at: expiresAt })
    .where('public_id', '=', publicId)
    .where('account_id', '=', environmentId)
    .where('status', 'in', isUnfinished)
    .executeTakeFirstOrThrow()
  if (actor !== undefined && numUpdatedRows > 0)
    await appendAudit(tx, dialect, { at, actor, action: 'batch.cancel', subject: publicId })
}

/** Resumes a paused batch at once; `maxCredits`, if given, replaces its limit. */
export async function resumeBatch(
  { db: tx, dialect }: Connection,
  {
    environmentId,
    publicId,
    maxCredits,
    act,
  }: Named & { maxCredits?: number | null; act?: { actor: string; at: number } },
): Promise<void> {
  const named = tx.updateTable('batches').where('public_id', '=', publicId).where('account_id', '=', environmentId)
  if (maxCredits !== undefined)
    await named.set({ max_credits: maxCredits }).where('status', 'in', isUnfinished).execute()
  await named
    .set({ status: 'queued', reason: null, resume_at: null, backoffs: 0, paused_since: null })
    .where('status', '=', 'paused')
    .execute()
  const after = maxCredits === undefined ? undefined : { max_credits: maxCredits }
  if (act) await appendAudit(tx, dialect, { ...act, action: 'batch.resume', subject: publicId, after })
}

/** A batch with its project, its environment and the key that pays. */
export interface OwnedBatch extends StoredBatch {
  project: string
  environment: string
  key_label: string | null
}

interface Wanted {
  project: string | null
  environment: string | null
  keyId: string | null
  /** A part of its name, or its id. */
  text?: string
  /** Whether the text may be a part of an id too; true by default. */
  ids?: boolean
  status: Exclude<StoredBatch['status'], 'uploading'> | null
  /** The batch number before which the page begins. */
  before: number | null
  limit: number
}

/** The batch with an id, of any environment; null while its input is still being read. */
export async function ownedBatch({ db }: Connection, { publicId }: { publicId: string }): Promise<OwnedBatch | null> {
  return (await ownedBatches(db).where('public_id', '=', publicId).executeTakeFirst()) ?? null
}

/** Batches of all environments that match the filters, newest first. */
export async function listOwnedBatches({ db }: Connection, wanted: Wanted): Promise<OwnedBatch[]> {
  const { project, environment, keyId, text, ids = true, status, before, limit } = wanted
  return ownedBatches(db)
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .$if(environment !== null, (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(keyId !== null, (query) => query.where('batches.key_id', '=', keyId ?? ''))
    .$if(text !== undefined, (query) =>
      query.where(containing(ids ? ['batches.name', 'batches.public_id'] : ['batches.name'], text ?? '')),
    )
    .$if(status !== null, (query) => query.where('batches.status', '=', status ?? 'queued'))
    .$if(before !== null, (query) => query.where('batches.id', '<', before ?? 0))
    .orderBy('batches.id', 'desc')
    .limit(limit)
    .execute()
}

function ownedBatches(db: Connection['db']) {
  return db
    .selectFrom('batches')
    .innerJoin('environments', 'environments.id', 'batches.account_id')
    .leftJoin('keys', 'keys.id', 'batches.key_id')
    .selectAll('batches')
    .select(['environments.project', 'environments.name as environment', 'keys.label as key_label'])
    .where('batches.status', '!=', 'uploading')
}
