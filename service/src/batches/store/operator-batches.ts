import type { Connection } from '../../database/dialect.ts'
import type { StoredBatch } from './submit-batch.ts'
import { containing } from '../../database/sql/expressions.ts'

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
  const { project, environment, keyId, text, status, before, limit } = wanted
  return ownedBatches(db)
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .$if(environment !== null, (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(keyId !== null, (query) => query.where('batches.key_id', '=', keyId ?? ''))
    .$if(text !== undefined, (query) => query.where(containing(['batches.name', 'batches.public_id'], text ?? '')))
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
