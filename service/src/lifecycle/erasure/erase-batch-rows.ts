import { sql } from 'kysely'
import type { Kind } from '@vitae/contract'
import type { Connection, Tx } from '../../database/dialect.ts'
import type { BatchRowStatus } from '../../database/tables/batches.ts'
import type { Alias } from '../../foundation/identifier.ts'
import { aliasText } from '../../records/identifiers/alias.ts'
import { candidateNames } from '../../records/suppression/candidate-names.ts'

interface Place {
  batchId: number
  number: number
}

interface Row extends Place {
  input: string | null
  mode: 'live' | 'test'
  status: BatchRowStatus | null
  entityId: number | null
}

/**
 * Removes a subject from a chunk of the batches: what was asked for, and the record that it led to. The row looks like one
 * that was not found from then on; what it cost stays in the sum of the batch. Gives the removed texts.
 */
export async function eraseBatchRows(
  { db: tx }: Connection,
  args: { kind: Kind; entityIds: number[]; aliases: Alias[]; after: Place; limit: number },
): Promise<{ inputs: string[]; next: Place | null }> {
  const { kind, entityIds, aliases, after, limit } = args
  const names = new Set(aliases.map(aliasText))
  const page = await pageOf(tx, kind, after, limit)
  const named = (input: string) =>
    candidateNames(input, '').some((name) => name.kind === kind && names.has(aliasText(name)))
  const about = page.filter(
    ({ input, entityId }) => input !== null && ((entityId !== null && entityIds.includes(entityId)) || named(input)),
  )
  for (const row of about) await eraseRow(tx, row)
  const last = page.at(-1)
  const next = last && page.length === limit ? { batchId: last.batchId, number: last.number } : null
  return { inputs: about.flatMap(({ input }) => input ?? []), next }
}

async function pageOf(tx: Tx, kind: Kind, { batchId, number }: Place, limit: number): Promise<Row[]> {
  return (
    tx
      .selectFrom('batch_rows as row')
      .innerJoin('batches', 'batches.id', 'row.batch_id')
      .leftJoin('batch_results as result', (join) =>
        join.onRef('result.batch_id', '=', 'row.batch_id').onRef('result.number', '=', 'row.number'),
      )
      .leftJoin('versions', 'versions.id', 'result.version_id')
      .select(['row.batch_id as batchId', 'row.number', 'row.input', 'batches.mode', 'result.status'])
      .select('versions.entity_id as entityId')
      // An upload that has not said its kind yet counts as people until it does.
      .where((of) => of.or([of('batches.kind', '=', kind), of('batches.status', '=', 'uploading')]))
      .where(sql<boolean>`("row".batch_id, "row".number) > (${batchId}, ${number})`)
      .orderBy('row.batch_id')
      .orderBy('row.number')
      .limit(limit)
      .execute()
  )
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
