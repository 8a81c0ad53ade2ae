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
  key_id: Type.String({ description: 'The key that pays.' }),
  key_label: orNull(Type.String()),
})
export type OperatorBatch = Static<typeof OperatorBatch>

const Query = Type.Object({
  key_id: Type.String({ maxLength: 100, description: 'The key whose rights, prices and credits count.' }),
  kind: BatchQuery.properties.kind,
  column: BatchQuery.properties.column,
})
const BatchPreview = Type.Object({
  kind: KindName,
  project: Type.String(),
  environment: Type.String(),
  mode: Type.Enum(['live', 'test']),
  rows: Count,
  invalid: Type.Integer({ minimum: 0, description: 'Rows that name nobody; they cost nothing.' }),
  distinct: Type.Integer({ minimum: 0, description: 'Different ids; the next three counts are of these.' }),
  in_store: Type.Integer({ minimum: 0, description: 'Ids with a copy in the store, of any age.' }),
  fresh: Type.Integer({ minimum: 0, description: 'Answered from the store, without a provider.' }),
  not_found: Type.Integer({ minimum: 0, description: 'The provider said lately that it does not know them.' }),
  credits_at_most: Type.Integer({ minimum: 0, description: 'The cost of the batch if every id is found.' }),
  credits_available: orNull(Count),
  ceiling_remaining: orNull(Type.Integer({ description: 'What the ceilings of the key leave; null = no ceiling.' })),
})
export type BatchPreview = Static<typeof BatchPreview>
const settings = `The body and the other settings are those of \`POST /v1/batches\`, with its content types.`

const Row = Type.Object({
  row: Type.Integer({ description: 'Its number in the file.' }),
  input: orNull(Type.String({ description: 'What was given, of a match its values; null after an erasure.' })),
  status: Type.Enum(['not_found', 'invalid', 'failed', 'found']),
  error: orNull(Type.String()),
  request_id: orNull(Type.String({ description: 'The call that was made for it.' })),
})

/** Batches of all environments: submit for a key, list, show, cancel, resume, download. */
export const batchOperations = {
  submitBatch: {
    route: 'POST /batches',
    summary: 'Look up a file of ids with the rights and credits of a key',
    description: `${settings} An \`Idempotency-Key\` makes a repeated submission the same batch.`,
    role: 'operator',
    scope: 'own project',
    status: 202,
    query: Query,
    uploads: batchInputTypes,
    response: SubmittedBatch,
  },
  previewBatch: {
    route: 'POST /batches/preview',
    summary: 'Say what a file of ids would cost, and how much of it the store has',
    description: `${settings} It costs nothing, and nothing is kept.`,
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
    summary: 'The results of a batch, as NDJSON or CSV',
    description: 'While the batch runs, the results end before the first unfinished row. The download is audited.',
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
      text: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a name or an id.' })),
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
    summary: 'Cancel a batch after the rows in progress',
    description: 'What was found so far stays, and is paid for.',
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
    summary: 'The rows of a batch that ended without a record, and why',
    description: 'CSV returns all rows, JSON one page. Reading them is audited, because the input may name people.',
    role: 'operator',
    scope: 'own project',
    params: BatchId,
    query: Type.Object({ ...pageQuery, format: Type.Optional(Type.Enum(['json', 'csv'])) }),
    response: Type.Object({ rows: Type.Array(Row), next_cursor: Cursor }),
    produces: { 'text/csv': Type.String() },
  },
} satisfies AdminOperationRows
