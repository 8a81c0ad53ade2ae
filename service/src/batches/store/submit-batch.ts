import { sql, type Selectable } from 'kysely'
import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Database, Dialect, Tx } from '../../database/dialect.ts'
import type { BatchRow } from '../../database/tables/batches.ts'
import { Failure } from '../../foundation/failure.ts'
import { databaseTime } from '../../database/sql/expressions.ts'

export type StoredBatch = Selectable<BatchRow>

/** What is known of a batch once its input was read whole. */
export interface SubmittedBatch {
  id: number
  environmentId: number
  kind: Kind
  name: string | null
  options: string
  maxCredits: number | null
  idempotencyHash: string | null
  digest: string
  total: number
  at: number
  /** The operator who submitted it; it is then in the audit log. */
  actor?: string
}

export interface BatchSubmission {
  /** `same`: this submission was made before; `mismatch`: its Idempotency-Key belongs to another one. */
  outcome: 'made' | 'same' | 'mismatch'
  batch: StoredBatch
}

const uniqueViolation = '23505'

interface NewUpload {
  publicId: string
  environmentId: number
  keyId: string
  mode: 'live' | 'test'
  idempotencyHash: string | null
  /** The most unfinished batches of the environment and mode, this one among them. */
  openAtMost: number
  at: number
  expiresAt: number
}

/** An upload of a node that died is given up so soon; a living one says so in time. */
const uploadLeaseMs = 60_000

function uploadLease(dialect: Dialect) {
  return sql<number>`${databaseTime(dialect)} + ${sql.lit(uploadLeaseMs)}`
}

/** Whether the node that received an upload has not been heard of for longer than its lease. Older versions set none. */
export function isAbandoned(dialect: Dialect) {
  return sql<boolean>`(status = 'uploading' and lease_until > 0 and lease_until < ${databaseTime(dialect)})`
}

/** Says that an upload is still being received. */
export async function renewUpload({ db, dialect }: Connection, { id }: { id: number }): Promise<void> {
  const lease = { lease_until: uploadLease(dialect) }
  await db.updateTable('batches').set(lease).where('id', '=', id).where('status', '=', 'uploading').execute()
}

/**
 * Begins an upload. Nobody sees the batch before `finishBatch`; one that never gets there is removed after `expiresAt`, or
 * when its node has died.
 * Null where the environment has too many unfinished batches, unless this is one of them that is sent again.
 */
export async function beginBatch({ db: tx, dialect }: Connection, args: NewUpload): Promise<{ id: number } | null> {
  // Those of one environment follow each other, so that none is counted before another is there.
  if (dialect === 'postgres') await lockUploads(tx, args.environmentId)
  return (await hasTooMany(tx, dialect, args)) ? null : insertUpload(tx, dialect, args)
}

/** Advisory locks of two numbers are apart from those of one. */
async function lockUploads(tx: Tx, environmentId: number): Promise<void> {
  const uploads = 7_184
  await sql`select pg_advisory_xact_lock(${sql.lit(uploads)}, ${environmentId}::int)`.execute(tx)
}

function insertUpload(tx: Tx, dialect: Dialect, args: NewUpload): Promise<{ id: number }> {
  return tx
    .insertInto('batches')
    .values({
      public_id: args.publicId,
      account_id: args.environmentId,
      key_id: args.keyId,
      mode: args.mode,
      kind: 'people',
      name: null,
      status: 'uploading',
      options: '{}',
      max_credits: null,
      idempotency_hash: null,
      digest: null,
      total: 0,
      reason: null,
      resume_at: null,
      failing_since: null,
      runner: null,
      lease_until: uploadLease(dialect),
      claimed_at: null,
      created_at: args.at,
      started_at: null,
      ended_at: null,
      expires_at: args.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

async function hasTooMany(db: Tx, dialect: Dialect, args: NewUpload): Promise<boolean> {
  const ofEnvironment = db.selectFrom('batches').select('id').where('account_id', '=', args.environmentId)
  // Batches of test keys do not count for live ones, nor the other way round.
  const open = await ofEnvironment
    .where('mode', '=', args.mode)
    .where('status', 'in', ['uploading', 'queued', 'running', 'paused'])
    .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', args.at)]))
    .where((of) => of.not(isAbandoned(dialect)))
    .limit(args.openAtMost)
    .execute()
  if (open.length < args.openAtMost) return false
  return !(await ofEnvironment.where('idempotency_hash', '=', args.idempotencyHash).executeTakeFirst())
}

/** Makes an upload a batch that is waiting to be run, unless it was submitted before under the same Idempotency-Key. */
export async function finishBatch(database: Database, args: SubmittedBatch): Promise<BatchSubmission> {
  const attempt = () => database.write(({ db, dialect }) => finish(db, dialect, args))
  try {
    return await attempt()
  } catch (error) {
    // The same submission was finished at the same moment: now it is found.
    if (error instanceof Error && 'code' in error && error.code === uniqueViolation) return attempt()
    throw error
  }
}

async function finish(tx: Tx, dialect: Dialect, args: SubmittedBatch): Promise<BatchSubmission> {
  const { idempotencyHash, digest } = args
  if (idempotencyHash !== null) {
    const first = await tx
      .selectFrom('batches')
      .selectAll()
      .where('account_id', '=', args.environmentId)
      .where('idempotency_hash', '=', idempotencyHash)
      .executeTakeFirst()
    if (first) return { outcome: first.digest === digest ? 'same' : 'mismatch', batch: first }
  }
  const batch = await tx
    .updateTable('batches')
    .set({
      kind: args.kind,
      name: args.name,
      options: args.options,
      max_credits: args.maxCredits,
      idempotency_hash: idempotencyHash,
      digest,
      total: args.total,
      status: 'queued',
      lease_until: 0,
      created_at: args.at,
      expires_at: null,
    })
    .where('id', '=', args.id)
    .where('status', '=', 'uploading')
    // One that is being removed has lost some of its rows.
    .where('expires_at', '>', 0)
    .returningAll()
    .executeTakeFirst()
  if (!batch) throw tookTooLong()
  const { at, actor, kind, total, maxCredits } = args
  const after = { key_id: batch.key_id, kind, total, max_credits: maxCredits }
  if (actor !== undefined)
    await appendAudit(tx, dialect, { at, actor, action: 'batch.submit', subject: batch.public_id, after })
  return { outcome: 'made', batch }
}

/** What is sent for longer than an upload may last is removed meanwhile. */
function tookTooLong(): Failure {
  return new Failure('invalid_request', { detail: 'The upload took too long and was given up. Send the batch again.' })
}
