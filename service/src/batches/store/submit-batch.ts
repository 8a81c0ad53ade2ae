import { sql, type Selectable } from 'kysely'
import type { Kind } from '@vitae/contract'
import { appendAudit } from '../../audit/audit.ts'
import type { Connection, Database, Dialect, Tx } from '../../database/engine/dialect.ts'
import type { BatchRow } from '../../database/tables/batches.ts'
import { Failure } from '../../foundation/failure.ts'

export type StoredBatch = Selectable<BatchRow>

/** The facts about a batch after its input was read. */
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
  /** The operator who submitted it; then it is in the audit log. */
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
  /** The maximum number of unfinished batches of the environment and mode, including this one. */
  openAtMost: number
  at: number
  expiresAt: number
}

/** An upload of a dead node is discarded after this time; a living node renews it. */
export const uploadLeaseMs = 60_000

function uploadLease(dialect: Dialect) {
  return sql<number>`${dialect.now()} + ${sql.lit(uploadLeaseMs)}`
}

/** Whether the node that received an upload has not renewed its lease. Older versions set no lease. */
export function isAbandoned(dialect: Dialect) {
  return sql<boolean>`(status = 'uploading' and lease_until > 0 and lease_until < ${dialect.now()})`
}

/**
 * Starts an upload. The batch is invisible before `finishBatch`; an upload that never finishes is removed after
 * `expiresAt` or when its node has died. Null if the environment has too many unfinished batches, unless this one is a
 * retry of one of them.
 */
export async function beginBatch({ db: tx, dialect }: Connection, args: NewUpload): Promise<{ id: number } | null> {
  // Uploads of one environment start one after another, so that each is counted.
  await dialect.advisoryGroupLock(tx, uploadsLock, args.environmentId)
  return (await hasTooMany(tx, dialect, args)) ? null : insertUpload(tx, dialect, args)
}

const uploadsLock = 7_184

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
  // Batches of test keys do not count for live ones, and vice versa.
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

/** Turns an upload into a batch that waits to run, unless it was submitted before under the same Idempotency-Key. */
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
    // An upload that is being removed has lost some of its rows.
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

/** The failure of an upload that took too long and was removed meanwhile. */
function tookTooLong(): Failure {
  return new Failure('invalid_request', { detail: 'The upload took too long and was discarded. Send the batch again.' })
}
