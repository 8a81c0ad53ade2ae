import type { Kind } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import type { CompiledBook } from '../credits/prices/compiled-book.ts'
import { Failure } from '../foundation/failure.ts'
import { newRequestId } from '../foundation/request-id.ts'
import { answerSample } from '../lookup/answer-sample.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { answerForKey } from '../lookup/ended-call.ts'
import { type Lookup, type LookupAnswer, newLookup } from '../lookup/lookup.ts'
import { answerMatch, lookupOf, type MatchAsk, matchSample, withEmployer } from '../lookup/match/answer-match.ts'
import { usualLikelihood } from '../lookup/match/demands.ts'
import type { Expected } from '../lookup/match/expectations.ts'
import type { PendingRow } from './store/pending-rows.ts'
import type { BatchResult } from './store/run-batches.ts'
import type { BatchOptions } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import { readRow, type RowQuestion } from './row-question.ts'
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
const ownFailures: ReadonlySet<string> = new Set([
  'not_found',
  'invalid_request',
  'required_fields_missing',
  'no_match',
  'ambiguous_match',
  'identity_mismatch',
])

/**
 * How a batch makes lookups: the idempotency records of its rows outlive it, it waits for providers apart from other calls, and its
 * charges wait for no sync, because a row is answered by its result, whose commit is synced. They are refused once another
 * node has taken the batch over. Nobody waits for a row, so those that are fetched wait for each other before each of their
 * writes, and several share a message and a transaction.
 */
export function lookupsOfBatch(
  lookup: LookupDeps,
  batch: { public_id: string; lease: number },
  pace: { together(): Promise<void> },
): LookupDeps {
  const { chain, rules, store } = lookup
  const { public_id: id, lease: number } = batch
  return {
    ...lookup,
    rules: { ...rules, idempotencyMs: untilRemovedMs },
    chain: { ...chain, ask: (ask) => chain.ask({ ...ask, batch: id }) },
    store: {
      ...store,
      saveFetch: (args) => pace.together().then(() => store.saveFetch(args)),
      saveMiss: (args) => pace.together().then(() => store.saveMiss(args)),
    },
    settle: async (request) => {
      if (request.type !== 'charge' && request.type !== 'check') await pace.together()
      return lookup.settle({ ...request, answeredLater: true, lease: { of: 'batches', id, number } })
    },
  }
}

/**
 * Looks one row up as a call of its key, or matches it. Its idempotency record makes that safe to repeat: what was paid for before
 * a crash, or by another row that asks for the same, is answered again without a charge.
 */
export async function lookUpRow(
  deps: BatchDeps,
  caller: Caller,
  batch: RowOf,
  row: ResumedRow,
  book: CompiledBook,
): Promise<RowEnd> {
  const question = readRow(deps.platformHosts, batch.kind, row)
  if (question.by === null) return { result: invalid(row, question.problem), asked: false }
  const asked = await callOf(deps, caller, batch, row, question)
  const lookup: Lookup = { ...asked.lookup, pricedAs: { ...asked.lookup.pricedAs, book } }
  // What pauses the batch is no end of this row, and is not noted each time that it is tried again.
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
    // Whose subject is being erased was paid for all the same.
    const { paidRequest } = row
    const { credits } = paidRequest === null ? { credits: 0 } : await paidBy(deps.store, paidRequest)
    const result = withoutRecord(row, 'not_found', failure.code, paidRequest ?? lookup.requestId)
    return { result: { ...result, credits, detail: detailOf(failure) }, asked: true }
  }
}

type RowAnswer = LookupAnswer & { likelihood?: number | null; matchedOn?: readonly string[] }

/** A row without a record says what it lacked; that nobody is known needs no more words. */
function detailOf({ code, details }: Failure): string | null {
  return code === 'not_found' || code === 'no_match' ? null : (details.detail ?? null)
}

function invalid(row: PendingRow, problem: string | null): BatchResult {
  return { ...withoutRecord(row, 'invalid', 'invalid_request', null), detail: problem }
}

/** The same for a test key: from samples, at once. */
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
  const unmatched = { detail: null, likelihood: null, matched_on: null }
  const none = { source: null, fetched_at: null, credits: 0, version_id: null, fold_id: null, ...unmatched }
  return { number, status, error, request_id: requestId, ...none }
}

/** What all calls of a batch have in common, and what makes that of a row its own. */
function optionsOfCall(deps: BatchDeps, { options, publicId }: RowOf, row: PendingRow) {
  const { maxAgeDays, bypassCache, include, require, spendTag } = options
  return {
    requestId: newRequestId(),
    include,
    freshness: { maxAgeDays, bypassCache, onlyStored: false, refuseStale: false },
    require,
    idempotencyKey: rowIdempotencyKey(publicId, row),
    ...(row.subject === null ? {} : { sharedAs: row.subject }),
    spendTag,
    startedAt: deps.clock.now(),
  }
}

/** The call that a row makes. Of a match also the question, with what the store knows of its employer. */
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
  return newLookup({ ...options, identifier, page, expect: expectIn(batch, expect) })
}

/** What is expected of all rows, and what of this one. */
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

/** What a request was charged, and the source of its answer as far as that is known. */
export async function paidBy(
  store: Pick<BatchDeps['store'], 'receipt'>,
  requestId: string,
): Promise<{ credits: number; source: string | null }> {
  const receipt = await store.receipt({ requestId })
  const paid = receipt?.entries.filter(({ kind }) => kind === 'charge' || kind === 'capture') ?? []
  return { credits: paid.reduce((sum, entry) => sum + entry.amount, 0), source: receipt?.call?.source ?? null }
}
