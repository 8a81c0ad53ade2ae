import Type from 'typebox'
import {
  batchInputTypes,
  Batch,
  BatchId,
  BatchList,
  BatchListQuery,
  BatchPreview,
  BatchQuery,
  BatchResultRow,
  BatchResume,
  BatchSubmission,
  ResultsQuery,
  SubmittedBatch,
} from '../batches.ts'
import type { PublicRows } from './row.ts'

/** The common part of a submission and its preview. */
const submission = {
  tag: 'Batches',
  query: BatchQuery,
  readsQuery: true,
  body: BatchSubmission,
  uploads: batchInputTypes,
  bodyExample: {
    kind: 'people',
    ids: [
      'sample-complete',
      { id: 'sample-stored', expect: { last_name: 'Varga' } },
      { email: 'ada.quill@example.com' },
    ],
    max_credits: 100,
    name: 'conference guests',
  },
} as const

const submitted: SubmittedBatch = {
  id: 'batch_5fY2mJp0QeW8sVb1kZ3x',
  status: 'queued',
  total: 2,
  created_at: '2026-11-14T09:30:00.000Z',
}

const example: Batch = {
  ...submitted,
  status: 'paused',
  name: 'conference guests',
  kind: 'people',
  counts: { found: 1, not_found: 0, invalid: 0, failed: 0, waiting: 1 },
  credits_spent: 1,
  max_credits: 100,
  seconds_left: null,
  pause_reason: 'out_of_credits',
  resumed_by: 'Grant credits to the environment, or raise its monthly budget. The batch then resumes by itself.',
  resumes_at: '2026-11-14T09:30:05.000Z',
  error: null,
  started_at: '2026-11-14T09:30:01.000Z',
  ended_at: null,
  expires_at: null,
}

const examplePreview: BatchPreview = {
  rows: 1_200,
  distinct: 1_150,
  invalid: 3,
  stored: 400,
  highest_credits: 1_150,
  available_credits: 5_000,
  estimated_seconds: 420,
}

const exampleRow: BatchResultRow = {
  row: 2,
  input: 'ilse-varga-lindqvist',
  status: 'not_found',
  error: 'not_found',
  detail: null,
  source: null,
  fetched_at: null,
  credits: 0,
  request_id: '0198c0de-7a11-7000-8000-00000000beef',
  likelihood: null,
  matched_on: null,
  columns: { crm_id: '4711' },
  record: null,
}

const rights = ['endpoint_not_allowed', 'part_not_allowed'] as const
const ofBatch = {
  tag: 'Batches',
  params: BatchId,
  response: Batch,
  example,
  failures: [...rights, 'not_found'],
} as const

/** Files of lookups, processed in the background. */
export const batchOperations = {
  submitBatch: {
    ...submission,
    route: 'POST /v1/batches',
    summary: 'Submit rows to be looked up or matched in the background',
    description:
      'JSON, or the rows as CSV or NDJSON, plain or with `Content-Encoding: gzip`, at most 50 MB when unpacked. With CSV and NDJSON all other members of the JSON form are query parameters. Without `column`, CSV columns that are named like members of a match are used; `map.email=NAME` uses the column NAME as `email`. An invalid row gets its own status and does not stop the batch. Each row costs as much as one lookup or match; equal rows are paid once. A repeated submission with the same `Idempotency-Key` returns the same batch, with its first `max_credits`.',
    spends: true,
    response: SubmittedBatch,
    example: submitted,
    status: 202,
    failures: [...rights, 'too_many_batches', 'idempotency_key_reused'],
    reads: ['Idempotency-Key', 'X-Spend-Tag'],
    says: ['Location'],
  },
  listBatches: {
    route: 'GET /v1/batches',
    tag: 'Batches',
    summary: 'List the batches of this environment, newest first',
    description:
      'Lists the batches of all live keys of the environment, or of all test keys if this is a test key. Batches with data that this key may not read are left out.',
    query: BatchListQuery,
    response: BatchList,
    example: { batches: [example], next: null },
    failures: ofBatch.failures,
  },
  previewBatch: {
    ...submission,
    route: 'POST /v1/batches/preview',
    summary: 'What would a batch cost?',
    description:
      'Takes the same input as a submission. Free; nothing is kept and no provider is asked. An environment runs one preview at a time: a second one gets 503 with `Retry-After`.',
    response: BatchPreview,
    example: examplePreview,
    failures: rights,
  },
  getBatch: {
    ...ofBatch,
    route: 'GET /v1/batches/:id',
    summary: 'Show the progress of a batch',
    description:
      'Returns 404 for a batch of another environment or mode, and 403 if the key lacks a right that the batch needs. Free.',
  },
  cancelBatch: {
    ...ofBatch,
    route: 'POST /v1/batches/:id/cancel',
    summary: 'Cancel a batch',
    description: 'Rows in progress finish first. Cancelling a finished batch does nothing.',
  },
  resumeBatch: {
    ...ofBatch,
    route: 'POST /v1/batches/:id/resume',
    summary: 'Resume a paused batch at once',
    description: 'Most pauses end by themselves. A batch that reached `max_credits` needs a higher limit.',
    spends: true,
    body: BatchResume,
    bodyExample: { max_credits: 200 },
    failures: [...ofBatch.failures, 'credit_ceiling_reached'],
  },
  getBatchResults: {
    route: 'GET /v1/batches/:id/results',
    tag: 'Batches',
    summary: 'Download the results of the finished rows, in the order of the input',
    description:
      'NDJSON, or CSV with `Accept: text/csv` or `format=csv`, compressed with `Accept-Encoding: gzip`. CSV has the columns of the submitted file first, in their order. While the batch runs, the answer ends before the first unfinished row: call again with `after`. People and companies that were erased or suppressed later are reported as not found. A key with a ceiling of 0 gets 402.',
    params: BatchId,
    query: ResultsQuery,
    produces: { 'application/x-ndjson': BatchResultRow, 'text/csv': Type.String() },
    example: exampleRow,
    failures: [...ofBatch.failures, 'credit_ceiling_reached'],
  },
} as const satisfies PublicRows
