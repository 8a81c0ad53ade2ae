import { identifierKey, type KindAlias } from '../../../foundation/identifier.ts'
import { sql } from 'kysely'
import { kinds, type Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../../database/engine/dialect.ts'
import type { BatchRow, BatchRowStatus } from '../../../database/tables/batches.ts'
import { candidateNames } from '../../../records/suppression/candidate-names.ts'
import type { Traced } from './erase-traces.ts'
import { readNames } from '../../../records/contact-index/contact-rows.ts'

interface Place {
  batchId: number
  number: number
}

interface Row extends Place {
  input: string | null
  names: string | null
  question: string | null
  mode: 'live' | 'test'
  kind: Kind
  state: BatchRow['status']
  status: BatchRowStatus | null
  entityId: number | null
}

const rowsPerStep = 2_000

/** The rows in a chunk of batches that name a subject or led to one. */
export async function findBatchRows(
  { db, rest }: Connection,
  { traced, after, limit }: { traced: Traced; after: Place; limit: number },
): Promise<{ found: Place[]; next: Place | null }> {
  const isAbout = aboutAny(traced)
  const found: Place[] = []
  let next: Place | null = after
  for (let seen = 0; seen < limit && next !== null; seen += rowsPerStep) {
    const { batchId, number }: Place = next
    const page = await rowsIn(db)
      .where(sql<boolean>`("row".batch_id, "row".number) > (${batchId}, ${number})`)
      .orderBy('row.batch_id')
      .orderBy('row.number')
      .limit(rowsPerStep)
      .execute()
    found.push(...page.filter(isAbout).map(placeOf))
    const last = page.at(-1)
    next = last && page.length === rowsPerStep ? placeOf(last) : null
    if (next !== null) await rest?.()
  }
  return { found, next }
}

/**
 * Removes subjects from batch rows: the input, its other columns and the record it led to. From then on the row looks
 * like one that was not found; its cost stays in the sum of the batch. Returns the removed texts.
 */
export async function eraseBatchRows(
  { db: tx }: Connection,
  { places }: { places: readonly Place[] },
): Promise<{ inputs: string[] }> {
  const inputs: string[] = []
  for (const { batchId, number } of places) {
    // Waits for erasures and results of the same batch that are being written: otherwise both would count the row.
    await tx
      .updateTable('batches')
      .set({ key_id: sql<string>`key_id` })
      .where('id', '=', batchId)
      .execute()
    const row = await rowsIn(tx).where('row.batch_id', '=', batchId).where('row.number', '=', number).executeTakeFirst()
    // Another erasure may have come first, and the row's cost may be recorded by now.
    if (!row || isErased(row)) continue
    await eraseRow(tx, row)
    inputs.push(...textsIn(row))
  }
  return { inputs }
}

function isErased({ input, question }: Row): boolean {
  return input === null && question === null
}

function placeOf({ batchId, number }: Row): Place {
  return { batchId, number }
}

function aboutAny(traced: Traced): (row: Row) => boolean {
  const entityIds = new Set(traced.entityIds)
  const names = new Set(kinds.flatMap((kind) => traced.names[kind].map((alias) => identifierKey({ kind, ...alias }))))
  const isNamed = (row: Row) => namesIn(row).some((name) => names.has(identifierKey(name)))
  return (row) => !isErased(row) && ((row.entityId !== null && entityIds.has(row.entityId)) || isNamed(row))
}

/** The texts of a row's question: its id, or its match input. */
function textsIn({ input, question }: Row): string[] {
  const { match = {} } = question === null ? {} : (JSON.parse(question) as { match?: Record<string, string> })
  return [...(input === null ? [] : [input]), ...Object.values(match)]
}

/** Every name by which a row may lead to someone. */
function namesIn(row: Row): KindAlias[] {
  // An upload that has not stated its kind yet may be about either kind.
  const ofKinds = row.state === 'uploading' ? kinds : [row.kind]
  const hashed = ofKinds.flatMap((kind) => readNames(row.names).map((name) => ({ kind, ...name })))
  return [...candidateNames(textsIn(row), ''), ...hashed].filter(({ kind }) => ofKinds.includes(kind))
}

function rowsIn(db: Tx) {
  return db
    .selectFrom('batch_rows as row')
    .innerJoin('batches', 'batches.id', 'row.batch_id')
    .leftJoin('batch_results as result', (join) =>
      join.onRef('result.batch_id', '=', 'row.batch_id').onRef('result.number', '=', 'row.number'),
    )
    .leftJoin('versions', 'versions.id', 'result.version_id')
    .select(['row.batch_id as batchId', 'row.number', 'row.input', 'row.names', 'row.question'])
    .select(['batches.mode', 'batches.kind', 'result.status'])
    .select(['versions.entity_id as entityId', 'batches.status as state'])
}

async function eraseRow(tx: Tx, { batchId, number, mode, status }: Row): Promise<void> {
  await tx
    .updateTable('batch_rows')
    .set({ input: null, names: null, question: null, columns: null })
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .execute()
  if (mode === 'test') return
  const unmatched = { detail: null, likelihood: null, matched_on: null }
  const facts = { source: null, fetched_at: null, credits: 0, ...unmatched }
  const gone = { status: 'not_found', error: 'not_found', ...facts } as const
  await tx
    .insertInto('batch_results')
    .values({ batch_id: batchId, number, ...gone, request_id: null, version_id: null })
    .onConflict((conflict) => conflict.columns(['batch_id', 'number']).doUpdateSet({ ...gone, version_id: null }))
    .execute()
  if (status === 'not_found') return
  const before = status === null ? {} : { [status]: sql<number>`${sql.ref(status)} - 1` }
  await tx
    .updateTable('batches')
    .set({ not_found: sql<number>`not_found + 1`, ...before })
    .where('id', '=', batchId)
    .execute()
}
