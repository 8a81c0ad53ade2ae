import Type, { type Static } from 'typebox'
import {
  Batch,
  BatchId,
  BatchQuery,
  BatchResume,
  ResultsQuery,
  SubmittedBatch,
  batchInputTypes,
  batchStatuses,
} from '../../batches.ts'
import type { AdminOperationRows } from '../operation.ts'
import { KindName, Count, Cursor, pageQuery, orNull } from '../schemas.ts'

const OperatorBatch = Type.Object({
  ...Batch.properties,
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  key_id: Type.String({ description: 'The id of the key that pays for the batch.' }),
  key_label: orNull(Type.String()),
})
export type OperatorBatch = Static<typeof OperatorBatch>

const Query = Type.Object({
  key_id: Type.String({
    maxLength: 100,
    description: 'The id of the key whose rights, prices and credits apply to the batch.',
  }),
  kind: BatchQuery.properties.kind,
  column: BatchQuery.properties.column,
})
const BatchPreview = Type.Object({
  kind: KindName,
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  rows: Count,
  invalid: Type.Integer({ minimum: 0, description: 'The number of rows without a usable id. They cost nothing.' }),
  distinct: Type.Integer({
    minimum: 0,
    description: 'The number of different ids. The next three counts are parts of this number.',
  }),
  in_store: Type.Integer({ minimum: 0, description: 'The number of ids with a stored copy of any age.' }),
  fresh: Type.Integer({
    minimum: 0,
    description: 'The number of ids that the store answers without asking a provider.',
  }),
  not_found: Type.Integer({
    minimum: 0,
    description: 'The number of ids that a provider recently did not find. They are not asked again yet.',
  }),
  credits_at_most: Type.Integer({
    minimum: 0,
    description: 'The maximum number of credits that the batch can cost: the cost if every id is found.',
  }),
  credits_available: orNull(Count),
  ceiling_remaining: orNull(
    Type.Integer({ description: 'The credits that the key may still spend under its ceilings; null = no ceiling.' }),
  ),
})
export type BatchPreview = Static<typeof BatchPreview>
const settings = `Takes the same body, content types and settings as \`POST /v1/batches\`.`

const Row = Type.Object({
  row: Type.Integer({ description: 'The number of the row in the file.' }),
  input: orNull(Type.String({ description: 'The id in the row, or the values of a match; null after an erasure.' })),
  status: Type.Enum(['not_found', 'invalid', 'failed', 'found']),
  error: orNull(Type.String()),
  detail: orNull(Type.String({ description: 'The reason in words, if the code alone does not tell it.' })),
  request_id: orNull(Type.String({ description: 'The request id of the call that was made for this row.' })),
  columns: orNull(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The columns of the row in the file; null if it has only the id, and after an erasure.',
    }),
  ),
})

/** Batches of all environments: submit for a key, list, show, cancel, resume, download. */
export const batchOperations = {
  submitBatch: {
    route: 'POST /batches',
    summary: 'Look up a file of ids with the rights and credits of a key',
    description: `${settings} A repeated submission with the same \`Idempotency-Key\` returns the same batch.`,
    role: 'operator',
    scope: 'own project',
    status: 202,
    query: Query,
    uploads: batchInputTypes,
    response: SubmittedBatch,
  },
  previewBatch: {
    route: 'POST /batches/preview',
    summary: 'Preview what a file of ids would cost, and how much of it the store has',
    description: `${settings} The preview costs nothing and stores nothing.`,
    role: 'operator',
    scope: 'own project',
    query: Query,
    uploads: batchInputTypes,
    response: BatchPreview,
  },
  showBatch: {
    route: 'GET /batches/:id',
    summary: 'Show the progress of a batch, and why it is paused',
    role: 'viewer',
    scope: 'own project',
    params: BatchId,
    response: OperatorBatch,
  },
  downloadBatch: {
    route: 'GET /batches/:id/results',
    summary: 'Download the results of a batch, as NDJSON or CSV',
    description: 'While the batch runs, the results end before the first unfinished row. Each download is audited.',
    role: 'operator',
    scope: 'own project',
    params: BatchId,
    query: ResultsQuery,
    produces: { 'application/x-ndjson': Type.String(), 'text/csv': Type.String() },
  },
  listBatches: {
    route: 'GET /batches',
    summary: 'List batches, newest first',
    role: 'viewer',
    scope: 'own part',
    query: Type.Object({
      ...pageQuery,
      project: Type.Optional(Type.String()),
      environment: Type.Optional(Type.String()),
      key_id: Type.Optional(Type.String()),
      text: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only batches whose name or id contains this text.' }),
      ),
      status: Type.Optional(Type.Enum([...batchStatuses])),
    }),
    response: Type.Object({ batches: Type.Array(OperatorBatch), next_cursor: Cursor }),
  },
  cancelBatch: {
    route: 'POST /batches/:id/cancel',
    role: 'operator',
    scope: 'own project',
    params: BatchId,
    response: OperatorBatch,
    summary: 'Cancel a batch; rows in progress finish first',
    description: 'Rows that were already found keep their results and are billed.',
  },
  resumeBatch: {
    route: 'POST /batches/:id/resume',
    role: 'operator',
    scope: 'own project',
    params: BatchId,
    response: OperatorBatch,
    summary: 'Resume a paused batch at once, optionally with a new limit',
    body: BatchResume,
  },
  /** The rows of a batch without a record, each with its reason, as pages or as one file. */
  listUnfoundRows: {
    route: 'GET /batches/:id/unfound',
    summary: 'List the rows of a batch that ended without a record, with the reason',
    description:
      'CSV returns all rows, JSON one page. The CSV begins with the columns of the submitted file. Reading them is audited, because the input may name people.',
    role: 'operator',
    scope: 'own project',
    params: BatchId,
    query: Type.Object({ ...pageQuery, format: Type.Optional(Type.Enum(['json', 'csv'])) }),
    response: Type.Object({ rows: Type.Array(Row), next_cursor: Cursor }),
    produces: { 'text/csv': Type.String() },
  },
} satisfies AdminOperationRows
