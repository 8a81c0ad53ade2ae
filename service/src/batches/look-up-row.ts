import type { Kind } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import type { CompiledBook } from '../credits/prices/compiled-book.ts'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { answerForKey } from '../lookup/ended-call.ts'
import { type Lookup, type LookupAnswer, newLookup } from '../lookup/lookup.ts'
import type { BatchResult, PendingRow } from './store/run-batches.ts'
import { parseIdentifier } from '../records/identifiers/parse-identifier.ts'
import { companyPageOf } from '../records/identifiers/profile-url.ts'
import type { BatchOptions } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import { rowIdempotencyKey } from './row-idempotency.ts'
import { dayMs } from '../foundation/clock.ts'

/** The batch that a row belongs to. */
export interface RowOf {
  publicId: string
  kind: Kind
  options: BatchOptions
}

export interface ResumedRow extends PendingRow {
  /** The request that paid for it before a crash. */
  paidRequest: string | null
}

/** How a row ended, or the failure that is not the row's own: of money, of the provider, of the key. */
export type RowEnd = { result: BatchResult; asked: boolean } | { failure: Failure }

/** Longer than any batch lives: the idempotency record of a row is removed with its batch. */
const untilRemovedMs = 100 * 365 * dayMs
const ownFailures: ReadonlySet<string> = new Set(['not_found', 'invalid_request', 'required_fields_missing'])

/**
 * How a batch makes lookups: the idempotency records of its rows outlive it, it waits for providers apart from other calls, and its
 * charges wait for no sync, because a row is answered by its result, whose commit is synced. They are refused once another
 * node has taken the batch over.
 */
export function lookupsOfBatch(lookup: LookupDeps, batch: { public_id: string; lease: number }): LookupDeps {
  const { chain, rules } = lookup
  const { public_id: id, lease: number } = batch
  return {
    ...lookup,
    rules: { ...rules, idempotencyMs: untilRemovedMs },
    chain: { ...chain, ask: (ask) => chain.ask({ ...ask, batch: id }) },
    settle: (request) => lookup.settle({ ...request, answeredLater: true, lease: { of: 'batches', id, number } }),
  }
}

/**
 * Looks one row up as a call of its key. Its idempotency record makes that safe to repeat: what was paid for before a crash is answered
 * again, with the charge of that time.
 */
export async function lookUpRow(
  deps: BatchDeps,
  caller: Caller,
  batch: RowOf,
  row: ResumedRow,
  book: CompiledBook,
): Promise<RowEnd> {
  const startedAt = deps.clock.now()
  const parsed = lookupOf(deps, batch, row, startedAt)
  const lookup = parsed && { ...parsed, pricedAs: { book } }
  if (!lookup) return { result: withoutRecord(row, 'invalid', 'invalid_request', null), asked: false }
  // What pauses the batch is no end of this row, and is not noted each time that it is tried again.
  const callEnded: BatchDeps['callEnded'] = (call) => {
    if (call.code === null || ownFailures.has(call.code)) deps.callEnded(call)
  }
  try {
    const answer = await answerForKey({ lookup: deps.lookup, callEnded }, caller, lookup)
    return { result: await foundResult(deps, row, lookup, answer), asked: answer.source === 'live' }
  } catch (error) {
    const failure = rowFailure(deps, batch, row, error)
    if (!ownFailures.has(failure.code)) return { failure }
    // Whose subject is being erased was paid for all the same.
    const { paidRequest } = row
    const { credits } = paidRequest === null ? { credits: 0 } : await paidBy(deps.store, paidRequest)
    const result = withoutRecord(row, 'not_found', failure.code, paidRequest ?? lookup.requestId)
    return { result: { ...result, credits }, asked: true }
  }
}

/** The same for a test key: from samples, at once. */
export function sampleRow(
  deps: BatchDeps,
  batch: RowOf,
  row: PendingRow,
): { result: BatchResult; answer: LookupAnswer | null } {
  try {
    const lookup = lookupOf(deps, batch, row, deps.clock.now())
    if (!lookup) return { result: withoutRecord(row, 'invalid', 'invalid_request', null), answer: null }
    const answer = answerSample(deps.lookup, lookup)
    const { source, fetchedAt } = answer
    const result = { ...withoutRecord(row, 'found', null, null), source, fetched_at: fetchedAt }
    return { result, answer }
  } catch (error) {
    const { code } = rowFailure(deps, batch, row, error)
    const status = code === 'not_found' ? 'not_found' : 'failed'
    return { result: withoutRecord(row, status, code, null), answer: null }
  }
}

/** What ended a row. A fault of ours is logged and fails this row alone: the others of its batch go on. */
export function rowFailure({ log }: BatchDeps, { publicId }: RowOf, { number }: PendingRow, error: unknown): Failure {
  if (error instanceof Failure) return error
  log.error({ err: error, batch: publicId, row: number }, 'a row of a batch failed for a fault of the service')
  return new Failure('internal_error', { cause: error })
}

/** A row that ended without a record. */
export function withoutRecord(
  { number }: PendingRow,
  status: BatchResult['status'],
  error: string | null,
  requestId: string | null,
): BatchResult {
  return { number, status, error, source: null, fetched_at: null, credits: 0, request_id: requestId, version_id: null }
}

/** Null for a row that names nobody. */
function lookupOf(deps: BatchDeps, batch: RowOf, { number, input }: PendingRow, startedAt: number): Lookup | null {
  const { kind, options, publicId } = batch
  if (input === null) return null
  try {
    return newLookup({
      requestId: newRequestId(),
      identifier: parseIdentifier(kind, input, deps.platformHosts),
      page: companyPageOf(input),
      include: options.include,
      freshness: { maxAgeDays: options.maxAgeDays, bypassCache: options.bypassCache },
      idempotencyKey: rowIdempotencyKey(publicId, number),
      spendTag: options.spendTag,
      startedAt,
    })
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

async function foundResult(
  { store }: BatchDeps,
  { number }: PendingRow,
  { requestId }: Lookup,
  answer: LookupAnswer,
): Promise<BatchResult> {
  const { replay, source, fetchedAt, versionId, credits } = answer
  const result: BatchResult = {
    number,
    status: 'found',
    error: null,
    source,
    fetched_at: fetchedAt,
    credits: credits?.charged ?? 0,
    request_id: requestId,
    version_id: versionId,
  }
  if (!replay) return result
  const paid = await paidBy(store, replay.requestId)
  return { ...result, source: paid.source ?? source, credits: paid.credits, request_id: replay.requestId }
}

/** What a request was charged, and the source of its answer as far as that is known. */
export async function paidBy(
  store: Pick<BatchDeps['store'], 'receipt'>,
  requestId: string,
): Promise<{ credits: number; source: string | null }> {
  const receipt = await store.receipt({ requestId })
  const paid = receipt?.entries.filter(({ kind }) => kind === 'charge' || kind === 'capture') ?? []
  return { credits: paid.reduce((sum, entry) => sum + entry.amount, 0), source: receipt?.call?.source ?? null }
}
