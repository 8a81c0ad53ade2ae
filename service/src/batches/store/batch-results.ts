import type { Kind } from '@vitae/contract'
import type { Connection } from '../../database/engine/dialect.ts'
import type { BatchRowStatus } from '../../database/tables/batches.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import { suppressionHash } from '../../records/suppression/suppression-hash.ts'
import { suppressedAmong } from '../../records/suppression/suppressions.ts'
import { copyColumns, toStoredCopy, type StoredCopy } from '../../records/rows/stored-copy.ts'
import { foldedCopy, readFold } from '../../records/versions/fold-rows.ts'
import { readNames } from '../../records/contact-index/contact-rows.ts'

/** A row and its result; `status` is null while it waits. */
export interface FinishedRow {
  number: number
  input: string | null
  subject: string | null
  names: string | null
  /** JSON, in stored form. */
  question: string | null
  columns: string | null
  status: BatchRowStatus | null
  error: string | null
  detail: string | null
  source: string | null
  fetchedAt: number | null
  credits: number
  requestId: string | null
  likelihood: number | null
  matchedOn: string | null
  copy: StoredCopy | null
}

interface Page {
  id: number
  kind: Kind
  after: number
  limit: number
  /** Keys the suppression list. */
  secret: string
  hosts: readonly string[]
}

const asNotFound = {
  status: 'not_found',
  error: 'not_found',
  detail: null,
  source: null,
  fetchedAt: null,
  credits: 0,
  likelihood: null,
  matchedOn: null,
  copy: null,
} as const

/** A page of rows with their records. An erased or suppressed subject looks like one that was not found. */
export async function readBatchRows({ db, dialect }: Connection, args: Page): Promise<FinishedRow[]> {
  const rows = await db
    .selectFrom('batch_rows')
    .leftJoin('batch_results as result', (join) =>
      join.onRef('result.batch_id', '=', 'batch_rows.batch_id').onRef('result.number', '=', 'batch_rows.number'),
    )
    .select(['batch_rows.number', 'batch_rows.input', 'batch_rows.subject', 'batch_rows.names'])
    .select(['batch_rows.question', 'batch_rows.columns'])
    .select(['result.status', 'result.error', 'result.detail', 'result.source'])
    .select(['result.likelihood', 'result.matched_on as matchedOn'])
    .select(['result.fetched_at as fetchedAt', 'result.credits', 'result.request_id as requestId'])
    .select(['result.version_id as versionId', 'result.fold_id as foldId'])
    .where('batch_rows.batch_id', '=', args.id)
    .where('batch_rows.number', '>', args.after)
    .orderBy('batch_rows.number')
    .limit(args.limit)
    .execute()
  const copies = await copiesOf(
    db,
    rows.flatMap(({ versionId }) => versionId ?? []),
  )
  const hashes = new Map(rows.map((row) => [row.number, hashesOf(row, args)]))
  const suppressed = await suppressedAmong(db, dialect, [...hashes.values()].flat())
  const folded = await foldedCopies(db, args.kind, rows, copies)
  return rows.map(({ versionId, foldId, ...row }) => {
    const copy = (foldId && folded.get(foldId)) || (versionId === null ? null : (copies.get(versionId) ?? null))
    const isSuppressed = hashes.get(row.number)?.some((hash) => suppressed.has(hash))
    const isGone = row.status === 'found' && (!copy || isSuppressed)
    return { ...row, credits: row.credits ?? 0, copy, ...(isGone ? goneAs(row) : {}) }
  })
}

async function copiesOf(db: Connection['db'], versionIds: number[]): Promise<Map<number, StoredCopy>> {
  if (versionIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(copyColumns)
    .where('versions.id', 'in', versionIds)
    .execute()
  return new Map(rows.map((row) => [row.version_id, toStoredCopy(row)]))
}

/** The copies with the fills of their answers, by fold id. */
async function foldedCopies(
  db: Connection['db'],
  kind: Kind,
  rows: readonly { versionId: number | null; foldId: number | null }[],
  copies: ReadonlyMap<number, StoredCopy>,
): Promise<Map<number, StoredCopy>> {
  const folded = new Map<number, StoredCopy>()
  for (const { versionId, foldId } of rows) {
    const copy = foldId !== null && versionId !== null ? copies.get(versionId) : undefined
    if (foldId !== null && copy) folded.set(foldId, await foldedCopy({ db }, kind, copy, await readFold(db, foldId)))
  }
  return folded
}

/** A match ends as one without a matching record. */
function goneAs({ input }: { input: string | null }) {
  return input === null ? { ...asNotFound, error: 'no_match' } : asNotFound
}

/** Every name of a found row that may be on the suppression list. */
function hashesOf(
  row: { input: string | null; names: string | null; status: string | null },
  { kind, secret, hosts }: Page,
): string[] {
  if (row.status !== 'found') return []
  const names = row.input === null ? readNames(row.names) : [parseIdentifier(kind, row.input, hosts)]
  return names.map((name) => suppressionHash(secret, kind, name))
}

/** A row without a record, and the reason. */
interface UnfoundRow {
  number: number
  input: string | null
  /** The question, if it is more than an id. */
  question: string | null
  /** The other columns of the file, as JSON. */
  columns: string | null
  status: BatchRowStatus | null
  error: string | null
  detail: string | null
  requestId: string | null
}

/** The rows of a batch that ended without a record, in the order of the file. */
export function unfoundRows(
  { db }: Connection,
  { id, after, limit }: { id: number; after: number; limit: number },
): Promise<UnfoundRow[]> {
  return db
    .selectFrom('batch_results as result')
    .innerJoin('batch_rows', (join) =>
      join.onRef('batch_rows.batch_id', '=', 'result.batch_id').onRef('batch_rows.number', '=', 'result.number'),
    )
    .select(['result.number', 'batch_rows.input', 'batch_rows.question', 'batch_rows.columns'])
    .select(['result.status', 'result.error', 'result.detail', 'result.request_id as requestId'])
    .where('result.batch_id', '=', id)
    .where('result.number', '>', after)
    .where('result.status', '!=', 'found')
    .orderBy('result.number')
    .limit(limit)
    .execute()
}
