import type { BatchStore } from './store/batch-operations.ts'
import { csvLine, safeCell } from '../foundation/csv/csv-cells.ts'
import { readyRecord } from '../lookup/recall/recall-record.ts'
import type { FinishedRow } from './store/batch-results.ts'
import type { StoredBatch } from './store/submit-batch.ts'
import { cutBody } from '../records/body/record-bytes.ts'
import { optionsOf, type BatchOptions } from './rows/batch-settings.ts'
import type { BatchDeps } from './rows/deps.ts'
import type { Question } from './input/input-row.ts'
import { sampleRow } from './rows/look-up-row.ts'
import { defaultFields, valueAt } from './rows/record-fields.ts'
import { isoTime } from '../foundation/clock.ts'
import type { AdminAnswer } from '@vitae/contract/admin'

export type ResultFormat = 'ndjson' | 'csv'

/** A finished row and the bytes of its record. */
interface Shown {
  row: FinishedRow
  record: Buffer | null
}

const rowsAtOnce = 50
/** Rows may carry long columns: then fewer are read at once. */
const charactersAtOnce = 500_000
const ended: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed'])
const facts = [
  'row',
  'input',
  'status',
  'error',
  'detail',
  'source',
  'fetched_at',
  'credits',
  'request_id',
  'likelihood',
  'matched_on',
] as const

/**
 * The results after a row, in the order of the input, read as fast as the caller takes them. While a batch runs they
 * end before the first waiting row, so that the last row read is always the position to continue from.
 */
export async function* batchResults(
  deps: BatchDeps,
  batch: StoredBatch,
  { format, after }: { format: ResultFormat; after: number },
): AsyncGenerator<Buffer> {
  const options = optionsOf(batch)
  const { header, paths, recordFields } = options
  const fields = paths ?? (format === 'csv' ? (recordFields ?? defaultFields[batch.kind]) : null)
  if (format === 'csv' && after === 0) yield Buffer.from(headerLine(header, [...facts, ...(fields ?? [])]))
  const write = format === 'csv' ? csvRow : ndjsonRow
  for await (const page of pages(deps, batch, options, after)) {
    const lines = page.map((shown) => write(shown, header, fields))
    if (lines.length > 0) yield Buffer.concat(lines)
  }
}

/**
 * The rows after `after` without a record, for a batch with a test key: its results are not stored but recomputed on
 * each read.
 */
async function unfoundSamples(
  deps: BatchDeps,
  batch: StoredBatch,
  { after, limit }: { after: number; limit: number },
): Promise<FinishedRow[]> {
  const unfound: FinishedRow[] = []
  for await (const page of pages(deps, batch, optionsOf(batch), after)) {
    unfound.push(...page.map(({ row }) => row).filter(({ status }) => status !== 'found'))
    if (unfound.length >= limit) break
  }
  return unfound.slice(0, limit)
}

async function* pages(
  deps: BatchDeps,
  batch: StoredBatch,
  options: BatchOptions,
  start: number,
): AsyncGenerator<Shown[]> {
  const { id, kind } = batch
  if (batch.mode === 'test' && batch.status !== 'completed') return
  const { secret } = deps.lookup
  for (let after = start, limit = rowsAtOnce; ;) {
    const rows = await deps.store.batches.readBatchRows({
      id,
      kind,
      after,
      limit,
      secret,
      hosts: deps.platformHosts,
    })
    const shown = rows.map((row) =>
      batch.mode === 'test' ? sample(deps, batch, options, row) : stored(kind, options, row),
    )
    const firstWaiting = ended.has(batch.status) ? -1 : shown.findIndex(({ row }) => row.status === null)
    yield (firstWaiting < 0 ? shown : shown.slice(0, firstWaiting)).filter(({ row }) => row.status !== null)
    if (firstWaiting >= 0 || rows.length < limit) return
    after = rows.at(-1)?.number ?? after
    const characters = rows.reduce((sum, { columns }) => sum + (columns?.length ?? 0), 0)
    limit = Math.max(1, Math.min(rowsAtOnce, Math.floor((limit * charactersAtOnce) / (characters + 1))))
  }
}

function stored(kind: StoredBatch['kind'], { include, recordFields }: BatchOptions, row: FinishedRow): Shown {
  return { row, record: row.copy && cutBody(readyRecord(kind, row.copy), include, recordFields).toBuffer() }
}

function sample(deps: BatchDeps, batch: StoredBatch, options: BatchOptions, row: FinishedRow): Shown {
  const { result, answer } = sampleRow(deps, { publicId: batch.public_id, kind: batch.kind, options }, row)
  const { status, error, detail, source, fetched_at: fetchedAt, likelihood, matched_on: matchedOn } = result
  const said = { status, error, detail, source, fetchedAt, likelihood, matchedOn }
  return { row: { ...row, ...said }, record: answer?.body.toBuffer() ?? null }
}

function factsOf(row: FinishedRow) {
  const { number, status, error, detail, source, fetchedAt, credits, requestId, likelihood, matchedOn } = row
  return {
    row: number,
    input: row.input ?? matchIn(row),
    status,
    error,
    detail,
    source,
    fetched_at: isoTime(fetchedAt),
    credits,
    request_id: requestId,
    likelihood,
    matched_on: matchedOn === null ? null : matchedOn.split(','),
  }
}

/** The match input of a row; null if it had an id. */
function matchIn({ question }: Pick<FinishedRow, 'question'>): Question['match'] | null {
  const { match = {} } = question === null ? {} : (JSON.parse(question) as Question)
  return Object.keys(match).length > 0 ? match : null
}

/** The other columns of a row: CSV cells by column name, or the other JSON members. */
function columnsOf(
  { columns }: Pick<FinishedRow, 'columns'>,
  header: readonly string[],
): Record<string, unknown> | null {
  if (columns === null) return null
  const kept = JSON.parse(columns) as string[] | Record<string, unknown>
  if (!Array.isArray(kept)) return kept
  return Object.fromEntries(header.map((name, place) => [name, kept[place] ?? '']))
}

/** The bytes of a whole record are sent unchanged. */
function ndjsonRow({ row, record }: Shown, header: readonly string[], paths: readonly string[] | null): Buffer {
  const said = JSON.stringify({ ...factsOf(row), columns: columnsOf(row, header) }).slice(0, -1)
  if (!record || !paths) return Buffer.concat([Buffer.from(`${said},"record":`), record ?? nothing, lineEnd])
  const full: unknown = JSON.parse(record.toString())
  const chosen = Object.fromEntries(paths.map((path) => [path, valueAt(full, path) ?? null]))
  return Buffer.from(`${said},"record":${JSON.stringify(chosen)}}\n`)
}

const nothing = Buffer.from('null')
const lineEnd = Buffer.from('}\n')

/**
 * The columns of the file come first. One that has the same name as ours becomes `input_...`, so that each name is
 * unique.
 */
function headerLine(header: readonly string[], ours: readonly string[]): string {
  const titles = header.map((title) => (ours.includes(title) ? `input_${title}` : title))
  return csvLine([...titles, ...ours].map((cell) => safeCell(cell)))
}

function csvRow({ row, record }: Shown, header: readonly string[], fields: readonly string[] | null): Buffer {
  const said = { ...factsOf(row), matched_on: row.matchedOn }
  const columns = columnsOf(row, header)
  const full: unknown = record && JSON.parse(record.toString())
  const cells = [
    ...header.map((name) => safeCell(columns?.[name])),
    ...facts.map((fact) => safeCell(said[fact])),
    ...(fields ?? []).map((field) => safeCell(valueAt(full, field))),
  ]
  return Buffer.from(csvLine(cells))
}

interface Deps {
  batches: BatchDeps
  store: { batches: Pick<BatchStore, 'unfoundRows'> }
}

type Row = AdminAnswer<'listUnfoundRows'>['rows'][number]

/** Each row may carry 128 KB of other columns. */
const unfoundAtOnce = 200

const unfoundFacts = ['row', 'input', 'status', 'error', 'detail', 'request_id'] as const

/** Rows of a batch that ended without a record, in their order. */
export async function unfoundRows(
  deps: Deps,
  batch: StoredBatch,
  ask: { after: number; limit: number },
): Promise<Row[]> {
  const rows =
    batch.mode === 'test'
      ? await unfoundSamples(deps.batches, batch, ask)
      : await deps.store.batches.unfoundRows({ id: batch.id, ...ask })
  const { header } = optionsOf(batch)
  return rows.map((row) => {
    const { number, status, error, detail, requestId } = row
    const match = matchIn(row)
    const input = row.input ?? (match ? Object.values(match).join(', ') : null)
    // Only finished rows are included.
    const said = { status: status ?? 'failed', error, detail, request_id: requestId }
    return { row: number, input, ...said, columns: columnsOf(row, header) }
  })
}

/** All of them as CSV, in parts. The columns of the file come first. */
export async function* unfoundCsv(deps: Deps, batch: StoredBatch): AsyncGenerator<string> {
  const { header } = optionsOf(batch)
  yield headerLine(header, unfoundFacts)
  for (let after = 0; ;) {
    const rows = await unfoundRows(deps, batch, { after, limit: unfoundAtOnce })
    for (const row of rows) {
      const given = header.map((name) => safeCell(row.columns?.[name]))
      yield csvLine([...given, ...unfoundFacts.map((name) => safeCell(row[name]))])
    }
    const last = rows.at(-1)
    if (!last || rows.length < unfoundAtOnce) return
    after = last.row
  }
}
