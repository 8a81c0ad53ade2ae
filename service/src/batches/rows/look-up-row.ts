import type { CreditStore } from '../../credits/operations.ts'
import type { Kind } from '@vitae/contract'
import type { Caller } from '../../accounts/caller.ts'
import type { CompiledBook } from '../../credits/prices/compiled-book.ts'
import { Failure } from '../../foundation/failure.ts'
import { newRequestId } from '../../foundation/request-id.ts'
import { answerSample } from '../../lookup/answer-sample.ts'
import { answerForKey } from '../../lookup/ended-call.ts'
import { type Lookup, type LookupAnswer, newLookup } from '../../lookup/asked/lookup.ts'
import { answerMatch, lookupOf, type MatchAsk, matchSample, withEmployer } from '../../lookup/answer-match.ts'
import { usualLikelihood } from '../../lookup/recall/demands.ts'
import type { Expected } from '../../lookup/asked/expectations.ts'
import { type PendingRow, rowIdempotencyKey } from '../store/batch-rows.ts'
import type { BatchResult } from '../store/run-batches.ts'
import type { BatchOptions } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import { readRow, type RowQuestion } from './row-question.ts'

/** The batch of a row. */
export interface RowOf {
  publicId: string
  kind: Kind
  options: BatchOptions
  /** The fencing number of the batch while it runs. */
  lease?: number
}

export interface ResumedRow extends PendingRow {
  /** The request that paid for it before a crash. */
  paidRequest: string | null
}

/** The result of a row, or a failure that is not the row's own, such as missing credits, an outage or a revoked key. */
export type RowEnd = { result: BatchResult; asked: boolean } | { failure: Failure }

const ownFailures: ReadonlySet<string> = new Set([
  'not_found',
  'invalid_request',
  'required_fields_missing',
  'no_match',
  'ambiguous_match',
  'identity_mismatch',
])

/**
 * Looks up or matches one row as a call of its key. Its idempotency record makes it safe to repeat: what was paid for
 * before a crash, or by another row with the same question, is answered again without a charge.
 */
export async function lookUpRow(
  deps: BatchDeps,
  caller: Caller,
  batch: RowOf,
  row: ResumedRow,
  { book, fetchTurn }: { book: CompiledBook; fetchTurn(): Promise<void> },
): Promise<RowEnd> {
  const question = readRow(deps.platformHosts, batch.kind, row)
  if (question.by === null) return { result: invalid(row, question.problem), asked: false }
  const asked = await callOf(deps, caller, batch, row, question)
  const lookup: Lookup = { ...asked.lookup, pricedAs: { ...asked.lookup.pricedAs, book }, fetchTurn }
  // A failure that pauses the batch does not end this row, so it is not logged on every retry.
  const callEnded: BatchDeps['callEnded'] = (call) => {
    if (call.code === null || ownFailures.has(call.code)) deps.callEnded(call)
  }
  const { ask } = asked
  const answerBy = ask && ((counted: Lookup) => answerMatch(deps.lookup, caller, ask, counted))
  try {
    const answer = await answerForKey<RowAnswer>({ lookup: deps.lookup, callEnded }, caller, lookup, answerBy)
    return { result: await foundResult(deps, row, lookup, answer), asked: answer.source === 'live' }
  } catch (error) {
    const failure = rowFailure(deps, batch, row, error)
    if (!ownFailures.has(failure.code)) return { failure }
    // A row whose subject is being erased was still paid for.
    const { paidRequest } = row
    const { credits } = paidRequest === null ? { credits: 0 } : await paidBy(deps.store, paidRequest)
    const result = withoutRecord(row, 'not_found', failure.code, paidRequest ?? lookup.requestId)
    return { result: { ...result, credits, detail: detailOf(failure) }, asked: true }
  }
}

type RowAnswer = LookupAnswer & { likelihood?: number | null; matchedOn?: readonly string[] }

/** The failure detail of a row; not_found and no_match need none. */
function detailOf({ code, details }: Failure): string | null {
  return code === 'not_found' || code === 'no_match' ? null : (details.detail ?? null)
}

function invalid(row: PendingRow, problem: string | null): BatchResult {
  return { ...withoutRecord(row, 'invalid', 'invalid_request', null), detail: problem }
}

/** The same for a test key: answered from samples. */
export function sampleRow(
  deps: BatchDeps,
  batch: RowOf,
  row: PendingRow,
): { result: BatchResult; answer: LookupAnswer | null } {
  try {
    const question = readRow(deps.platformHosts, batch.kind, row)
    if (question.by === null) return { result: invalid(row, question.problem), answer: null }
    const options = optionsOfCall(deps, batch, row)
    const { recordFields: fields } = batch.options
    const answer: RowAnswer =
      question.by === 'match'
        ? sampleMatch(deps, { ...question.ask, options: { ...options, fields } })
        : answerSample(deps.lookup, { ...plainLookup(options, batch, question), fields })
    const { source, fetchedAt } = answer
    const result = { ...withoutRecord(row, 'found', null, null), source, fetched_at: fetchedAt, ...matchedBy(answer) }
    return { result, answer }
  } catch (error) {
    const { code } = rowFailure(deps, batch, row, error)
    const status = ownFailures.has(code) ? 'not_found' : 'failed'
    return { result: withoutRecord(row, status, code, null), answer: null }
  }
}

function sampleMatch({ lookup }: BatchDeps, ask: MatchAsk): RowAnswer {
  return matchSample(lookup, ask, lookupOf(lookup, ask))
}

/** The failure of a row. An internal error is logged and fails only this row: the others of its batch continue. */
export function rowFailure({ log }: BatchDeps, { publicId }: RowOf, { number }: PendingRow, error: unknown): Failure {
  if (error instanceof Failure) return error
  log.error({ err: error, batch: publicId, row: number }, 'a batch row failed because of an internal error')
  return new Failure('internal_error', { cause: error })
}

/** A row that ended without a record. */
export function withoutRecord(
  { number }: PendingRow,
  status: BatchResult['status'],
  error: string | null,
  requestId: string | null,
): BatchResult {
  const unmatched = { detail: null, likelihood: null, matched_on: null }
  const none = { source: null, fetched_at: null, credits: 0, version_id: null, fold_id: null, ...unmatched }
  return { number, status, error, request_id: requestId, ...none }
}

/** The options that all calls of a batch share, and those of this row. */
function optionsOfCall(deps: BatchDeps, { options, publicId, lease }: RowOf, row: PendingRow) {
  const { maxAgeDays, bypassCache, include, require, spendTag } = options
  return {
    requestId: newRequestId(),
    include,
    freshness: { maxAgeDays, bypassCache, onlyStored: false, refuseStale: false },
    require,
    idempotencyKey: rowIdempotencyKey(publicId, row),
    ...(row.subject === null ? {} : { sharedAs: row.subject }),
    spendTag,
    ...(lease === undefined ? {} : { lease: { of: 'batches' as const, id: publicId, number: lease } }),
    startedAt: deps.clock.now(),
  }
}

/** The call of a row. For a match it also returns the question, with what the store knows of its employer. */
async function callOf(
  deps: BatchDeps,
  caller: Caller,
  batch: RowOf,
  row: PendingRow,
  question: Exclude<RowQuestion, { by: null }>,
): Promise<{ lookup: Lookup; ask?: MatchAsk }> {
  const options = optionsOfCall(deps, batch, row)
  if (question.by === 'lookup') return { lookup: plainLookup(options, batch, question) }
  const input = { ...question.ask.input, minLikelihood: batch.options.minLikelihood ?? usualLikelihood }
  const ask = await withEmployer(deps.lookup, caller, { ...question.ask, input, options })
  const lookup = lookupOf(deps.lookup, ask)
  return { lookup: { ...lookup, expect: expectIn(batch, lookup.expect, question.expect) }, ask }
}

function plainLookup(
  options: ReturnType<typeof optionsOfCall>,
  batch: RowOf,
  { identifier, page, expect }: Extract<RowQuestion, { by: 'lookup' }>,
): Lookup {
  const { include, require } = options
  const expected = expectIn(batch, expect)
  // Results read the record later, by its version.
  const onlyFacts = !require && !expected && !Object.values(include).includes(true)
  return newLookup({ ...options, identifier, page, expect: expected, onlyFacts })
}

/** The expectations of the batch and of this row. */
function expectIn({ options: { expect } }: RowOf, ...ofRow: (Expected | null | undefined)[]): Expected | null {
  const all = [expect, ...ofRow].flatMap((one) => one ?? [])
  return all.length > 0 ? (Object.assign({}, ...all) as Expected) : null
}

async function foundResult(
  { store }: BatchDeps,
  { number }: PendingRow,
  { requestId }: Lookup,
  answer: RowAnswer,
): Promise<BatchResult> {
  const { replay, source, fetchedAt, versionId, foldId, credits } = answer
  const result: BatchResult = {
    number,
    status: 'found',
    error: null,
    detail: null,
    source,
    fetched_at: fetchedAt,
    credits: credits?.charged ?? 0,
    request_id: requestId,
    version_id: versionId,
    fold_id: foldId,
    ...matchedBy(answer),
  }
  if (!replay) return result
  const paid = await paidBy(store, replay.requestId)
  return { ...result, source: paid.source ?? source, credits: paid.credits, request_id: replay.requestId }
}

function matchedBy({ likelihood, matchedOn }: RowAnswer): Pick<BatchResult, 'likelihood' | 'matched_on'> {
  return { likelihood: likelihood ?? null, matched_on: matchedOn?.join(',') ?? null }
}

/** The charge of a request, and the source of its answer if it is known. */
export async function paidBy(
  store: { credits: Pick<CreditStore, 'receipt'> },
  requestId: string,
): Promise<{ credits: number; source: string | null }> {
  const receipt = await store.credits.receipt({ requestId })
  const paid = receipt?.entries.filter(({ kind }) => kind === 'charge' || kind === 'capture') ?? []
  return { credits: paid.reduce((sum, entry) => sum + entry.amount, 0), source: receipt?.call?.source ?? null }
}
