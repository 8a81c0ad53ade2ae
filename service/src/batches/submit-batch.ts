import { createHash, randomBytes } from 'node:crypto'
import { kinds, type Kind } from '@vitae/contract'
import { type Caller, missingRight } from '../accounts/caller.ts'
import { idempotencyHash } from '../credits/idempotency-key.ts'
import { Failure, plainFailure } from '../foundation/failure.ts'
import { uploadLeaseMs, type StoredBatch } from './store/submit-batch.ts'
import { isBatchSetting, mappingOf, readBatchSettings, type BatchSettings } from './rows/batch-settings.ts'
import type { BatchDeps } from './rows/deps.ts'
import type { InputRow } from './input/input-row.ts'
import { JsonSettings } from './input/json-input.ts'
import { readInput, type InputType } from './input/read-input.ts'
import { laneOf } from './input/uploads.ts'
import { removeRows } from './rows/remove-expired.ts'
import { contactsIn, readRow, rowText, subjectOf, type RowText } from './rows/row-question.ts'
import type { NewBatchRow } from './store/batch-rows.ts'
import { writeNames } from '../records/contact-index/contact-rows.ts'

/** A body and its parameters. */
export interface Submission {
  type: InputType
  bytes: AsyncIterable<Buffer>
  /** Whether the caller disconnected before the end of the body. */
  isLost(): boolean
  /** The parameters of the query; a JSON body may contain more. */
  query: ReadonlyMap<string, string>
  /** Unquoted; null if none was sent. */
  idempotencyKey: string | null
  spendTag: string | null
  /** The operator who submits it for a key; named in the audit log. */
  actor?: string
}

interface Upload {
  id: number
  publicId: string
  environmentId: number
  lane: number
  /** An upper limit for its rows in the store. */
  rows: number
}

/** Reading this many rows takes about 0.5 ms; 1 KB may contain many rows, and compressed thousands. */
export const rowsOfStep = 64
const rowsAtOnce = 512
/** Other columns may be long: rows are written as soon as this many characters of them wait. */
const charactersAtOnce = 1_000_000
const uploadMs = 3_600_000
/** Several times within the lease of an upload. */
const renewEveryMs = uploadLeaseMs / 4

/**
 * Reads a submission to its end, row by row, and creates a batch. The batch is invisible until then, and a failure
 * leaves nothing behind.
 */
export async function submitBatch(deps: BatchDeps, caller: Caller, submission: Submission): Promise<StoredBatch> {
  const { openAtMost } = deps.rules
  const { isLost } = submission
  const read = () => readBatch(deps, caller, submission)
  const batch = await deps.uploads.read(laneOf(caller), { waitingAtMost: openAtMost, isLost }, read)
  if (!batch) throw isLost() ? plainFailure('client_closed_request') : tooManyBatches(openAtMost)
  return batch
}

async function readBatch(deps: BatchDeps, caller: Caller, submission: Submission): Promise<StoredBatch> {
  const { clock, store } = deps
  const at = clock.now()
  const { environmentId, keyId, mode } = caller
  const publicId = `batch_${randomBytes(15).toString('base64url')}`
  const idempotencyHash = hashOf(deps, caller, submission.idempotencyKey)
  const { openAtMost } = deps.rules
  const who = { publicId, environmentId, keyId, mode, idempotencyHash }
  const begun = await store.batches.beginBatch({ ...who, openAtMost, at, expiresAt: at + uploadMs })
  if (!begun) throw tooManyBatches(openAtMost)
  const { id } = begun
  const upload: Upload = { id, publicId, environmentId, lane: laneOf(caller), rows: 0 }
  // If the store cannot be reached, the upload itself fails and reports it.
  const lease = { of: 'batches', leases: [{ id: publicId, number: 0 }], leaseMs: uploadLeaseMs } as const
  const renewing = setInterval(() => void store.leases.renewLeases(lease).catch(() => undefined), renewEveryMs).unref()
  try {
    const { settings, header, total, digest } = await readAll(deps, upload, submission)
    checkPermissions(caller, settings)
    const { kind, name, maxCredits, ...options } = settings
    const { outcome, batch } = await store.batches.finishBatch({
      id,
      environmentId,
      kind,
      name,
      options: JSON.stringify({ ...options, header }),
      maxCredits,
      idempotencyHash,
      digest,
      total,
      at: clock.now(),
      ...(submission.actor === undefined ? {} : { actor: submission.actor }),
    })
    if (outcome === 'mismatch') throw keyReused()
    if (outcome === 'same') await discard(deps, upload)
    return batch
  } catch (error) {
    await discard(deps, upload)
    throw error
  } finally {
    clearInterval(renewing)
  }
}

async function readAll(
  deps: BatchDeps,
  upload: Upload,
  { type, bytes, query, spendTag }: Submission,
): Promise<{ settings: BatchSettings; header: string[]; total: number; digest: string }> {
  const { rowsAtMost } = deps.rules
  // A JSON body contains its settings; for other types, invalid settings are reported before the file is read.
  if (type !== 'application/json') readBatchSettings(query, spendTag)
  const body = new JsonSettings(isBatchSetting)
  const header: string[] = []
  const digest = createHash('sha256')
  let total = 0
  let unnamed = 0
  let characters = 0
  let waiting: NewBatchRow[] = []
  const flush = async () => {
    upload.rows = total
    await deps.store.batches.addBatchRows({ id: upload.id, after: total - waiting.length, rows: waiting })
    waiting = []
    characters = 0
  }
  for await (const row of readInput({ type, bytes, mapping: mappingOf(query), settings: body, header })) {
    if (total >= rowsAtMost) throw tooManyRows(rowsAtMost)
    total++
    // This also holds after each flush, which ends a step.
    if (total % rowsOfStep === 1) await deps.uploads.next(upload.lane)
    const kind = kinds.find((each) => each === (body.values.get('kind') ?? query.get('kind')))
    if (!kind) unnamed = total
    const added = newRow(deps, upload, kind ?? null, row)
    waiting.push(added)
    const text = JSON.stringify([added.input, added.question, added.columns])
    digest.update(`${text}\n`)
    characters += text.length
    if (waiting.length === rowsAtOnce || characters >= charactersAtOnce) await flush()
  }
  const settings = readBatchSettings(new Map([...query, ...body.values]), spendTag, body.complaints)
  if (total === 0) throw noRows(type)
  if (waiting.length > 0) await flush()
  await nameSubjects(deps, upload, settings.kind, unnamed)
  // A repeated submission may name another limit. It is the same batch, and only a resume changes its limit.
  const { maxCredits: _, ...asked } = settings
  return { settings, header, total, digest: digest.update(JSON.stringify([asked, header])).digest('base64url') }
}

function newRow(deps: BatchDeps, { publicId }: Upload, kind: Kind | null, row: InputRow): NewBatchRow {
  const text = rowText(row)
  const columns = row.columns && JSON.stringify(row.columns)
  return { ...text, columns, ...(kind ? hashesOf(deps, publicId, kind, text) : { subject: null, names: null }) }
}

function hashesOf({ lookup, platformHosts }: BatchDeps, publicId: string, kind: Kind, text: RowText) {
  const question = readRow(platformHosts, kind, text)
  const names = contactsIn(lookup.secret, question)
  return { subject: subjectOf(lookup.secret, publicId, question), names: names.length > 0 ? writeNames(names) : null }
}

/** A JSON body may state its kind after the rows: then the earlier rows are read again. */
async function nameSubjects(deps: BatchDeps, { id, publicId }: Upload, kind: Kind, upTo: number): Promise<void> {
  for (let after = 0; after < upTo; after += rowsAtOnce) {
    const rows = await deps.store.batches.pendingBatchRows({ id, after, limit: rowsAtOnce })
    const keyed = rows.map((row) => ({ number: row.number, ...hashesOf(deps, publicId, kind, row) }))
    await deps.store.batches.setSubjects({ id, rows: keyed })
  }
}

/** The key may have fewer rights than the batch asks for. */
export function checkPermissions(caller: Caller, { kind, include }: BatchSettings): void {
  const missing = missingRight(caller, kind, (part) => include[part])
  if (missing) throw plainFailure(missing)
}

/** Removes the written rows of an upload; if the store cannot be reached, they are removed when the upload expires. */
async function discard(deps: BatchDeps, upload: Upload): Promise<void> {
  try {
    // If only the final answer was lost, it is already a batch and may have been paid for.
    if (await deps.store.batches.giveUpBatch({ id: upload.id }))
      await removeRows(deps, upload, { withIdempotency: false })
  } catch (error) {
    deps.log.warn({ err: error }, 'could not remove an upload now; it is removed when it expires')
  }
}

/**
 * Batches use another namespace than lookups, so one header value may name a lookup and a batch. Test keys have their
 * own; otherwise a test submission could return the live batch of the same value.
 */
function hashOf({ lookup }: BatchDeps, { environmentId, mode }: Caller, idempotencyKey: string | null): string | null {
  const space = mode === 'test' ? 'test batch' : 'batch'
  return idempotencyKey === null ? null : idempotencyHash(lookup.secret, environmentId, `${space} ${idempotencyKey}`)
}

function keyReused(): Failure {
  return new Failure('idempotency_key_reused', {
    detail: 'This Idempotency-Key was used for another batch. Use a new value for each batch.',
  })
}

function tooManyBatches(openAtMost: number): Failure {
  return new Failure('too_many_batches', {
    retryAfterSeconds: 60,
    detail: `This environment has ${openAtMost} unfinished batches. Wait for one to end or cancel one. One batch may have many rows.`,
  })
}

export function tooManyRows(rowsAtMost: number): Failure {
  return new Failure('body_too_large', {
    detail: `A batch has at most ${rowsAtMost} rows. Split the file, or ask the operator to raise VITAE_BATCH_ROWS.`,
  })
}

export function noRows(type: InputType): Failure {
  const parameter = type === 'application/json' ? 'ids' : 'body'
  const detail = type === 'application/json' ? 'must be a list of at least one id' : 'has no rows'
  return new Failure('invalid_request', { detail: `${parameter} ${detail}.`, errors: [{ parameter, detail }] })
}
