import { sql } from 'kysely'
import { kinds, type Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/dialect.ts'
import type { BatchRowStatus } from '../../database/tables/batches.ts'
import { aliasText } from '../../records/identifiers/alias.ts'
import { candidateNames } from '../../records/suppression/candidate-names.ts'
import type { Traced } from './erase-traces.ts'

interface Place {
  batchId: number
  number: number
}

interface Row extends Place {
  input: string | null
  mode: 'live' | 'test'
  kind: Kind
  /** An upload that has not said its kind yet counts as people until it does. */
  uploading: boolean
  status: BatchRowStatus | null
  entityId: number | null
}

/**
 * Removes subjects from a chunk of the batches: what was asked for, and the record that it led to. The row looks like one
 * that was not found from then on; what it cost stays in the sum of the batch. Gives the removed texts.
 */
export async function eraseBatchRows(
  { db: tx }: Connection,
  { traced, after, limit }: { traced: Traced; after: Place; limit: number },
): Promise<{ inputs: string[]; next: Place | null }> {
  const entityIds = new Set(traced.entityIds)
  const names = new Set(kinds.flatMap((kind) => traced.names[kind].map((alias) => `${kind} ${aliasText(alias)}`)))
  const page = await pageOf(tx, after, limit)
  const named = ({ input, kind, uploading }: Row) =>
    candidateNames(input, '').some(
      (name) => (name.kind === kind || uploading) && names.has(`${name.kind} ${aliasText(name)}`),
    )
  const about = page.filter(
    (row) => row.input !== null && ((row.entityId !== null && entityIds.has(row.entityId)) || named(row)),
  )
  for (const row of about) await eraseRow(tx, row)
  const last = page.at(-1)
  const next = last && page.length === limit ? { batchId: last.batchId, number: last.number } : null
  return { inputs: about.flatMap(({ input }) => input ?? []), next }
}

async function pageOf(tx: Tx, { batchId, number }: Place, limit: number): Promise<Row[]> {
  const rows = await tx
    .selectFrom('batch_rows as row')
    .innerJoin('batches', 'batches.id', 'row.batch_id')
    .leftJoin('batch_results as result', (join) =>
      join.onRef('result.batch_id', '=', 'row.batch_id').onRef('result.number', '=', 'row.number'),
    )
    .leftJoin('versions', 'versions.id', 'result.version_id')
    .select(['row.batch_id as batchId', 'row.number', 'row.input', 'batches.mode', 'batches.kind', 'result.status'])
    .select(['versions.entity_id as entityId', 'batches.status as state'])
    .where(sql<boolean>`("row".batch_id, "row".number) > (${batchId}, ${number})`)
    .orderBy('row.batch_id')
    .orderBy('row.number')
    .limit(limit)
    .execute()
  return rows.map(({ state, ...row }) => ({ ...row, uploading: state === 'uploading' }))
}

async function eraseRow(tx: Tx, { batchId, number, mode, status }: Row): Promise<void> {
  await tx
    .updateTable('batch_rows')
    .set({ input: null })
    .where('batch_id', '=', batchId)
    .where('number', '=', number)
    .execute()
  if (mode === 'test') return
  const gone = { status: 'not_found', error: 'not_found', source: null, fetched_at: null, credits: 0 } as const
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
