import Type, { type Static } from 'typebox'
import { kinds } from './kinds.ts'
import { closed, nullable, Text } from './shapes.ts'

const Moment = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })

export const batchStatuses = ['queued', 'running', 'paused', 'completed', 'cancelled', 'failed'] as const
const Status = Type.Enum([...batchStatuses])

export const BatchCounts = closed({ found: Count, not_found: Count, invalid: Count, failed: Count, waiting: Count })
export type BatchCounts = Static<typeof BatchCounts>

export const SubmittedBatch = closed(
  { id: Type.String(), status: Status, total: Type.Integer({ minimum: 1 }), created_at: Moment },
  'A batch whose input was read whole.',
)
export type SubmittedBatch = Static<typeof SubmittedBatch>

export const Batch = closed(
  {
    ...SubmittedBatch.properties,
    name: Text,
    kind: Type.Enum([...kinds]),
    counts: BatchCounts,
    credits_spent: Count,
    max_credits: nullable(Count),
    seconds_left: nullable(Type.Integer({ minimum: 0, description: 'An estimate by the present pace.' })),
    pause_reason: nullable(Type.String({ description: 'A code such as `out_of_credits`.' })),
    resumed_by: nullable(Type.String({ description: 'What brings a paused batch back, in a sentence.' })),
    resumes_at: nullable(Moment),
    error: nullable(
      Type.String({ description: 'Why a failed batch failed: a code such as `revoked_api_key` or `paused_too_long`.' }),
    ),
    started_at: nullable(Moment),
    ended_at: nullable(Moment),
    expires_at: nullable(Moment),
  },
  'How far a batch is.',
)
export type Batch = Static<typeof Batch>

export const BatchList = closed({
  batches: Type.Array(Batch),
  next: nullable(Type.String({ description: 'Pass it as `after` for older batches; null at the end.' })),
})

export const BatchSubmission = closed(
  {
    kind: Type.Enum([...kinds]),
    ids: Type.Array(Type.String(), { minItems: 1, description: 'Slugs, URLs or ids, up to `VITAE_BATCH_ROWS`.' }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    max_credits: Type.Optional(Type.Integer({ minimum: 0, description: 'The batch never spends more than this.' })),
    max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
    bypass_cache: Type.Optional(Type.Boolean()),
    include_contact_info: Type.Optional(Type.Boolean()),
    include_network_info: Type.Optional(Type.Boolean()),
    get_verification_details: Type.Optional(Type.Boolean()),
    fields: Type.Optional(
      Type.Array(Type.String(), { description: 'What results show of a record, as dotted paths.' }),
    ),
  },
  'Ids to look up, and how.',
)
export type BatchSubmission = Static<typeof BatchSubmission>

const {
  max_credits,
  max_age_days,
  bypass_cache,
  include_contact_info,
  include_network_info,
  get_verification_details,
  name,
} = BatchSubmission.properties

/** The same for CSV and NDJSON, whose body has no place for it. */
export const BatchQuery = Type.Object({
  kind: Type.Optional(Type.Enum([...kinds], { description: 'Of CSV and NDJSON: the kind of record.' })),
  column: Type.Optional(Type.String({ description: 'Of CSV and NDJSON: where the ids stand.' })),
  name,
  max_credits,
  max_age_days,
  bypass_cache,
  include_contact_info,
  include_network_info,
  get_verification_details,
  fields: Type.Optional(
    Type.String({ description: 'What results show of a record, as dotted paths with commas between them.' }),
  ),
})

export const BatchPreview = closed(
  {
    rows: Count,
    distinct: Type.Integer({ minimum: 0, description: 'Different ids.' }),
    invalid: Type.Integer({ minimum: 0, description: 'Rows that name nobody; they cost nothing.' }),
    stored: Type.Integer({ minimum: 0, description: 'Different ids that the store answers, without a provider.' }),
    highest_credits: Type.Integer({ minimum: 0, description: 'What the batch costs where every id is found.' }),
    available_credits: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'What this key can spend now: the credits of its environment, or what its ceilings leave where that is less. Null for a test key, which spends nothing.',
      }),
    ),
    estimated_seconds: Type.Integer({
      minimum: 0,
      description: 'By the rate limit of the key and the pace of batches; slow providers add to it.',
    }),
  },
  'What a batch would cost, said without making it.',
)
export type BatchPreview = Static<typeof BatchPreview>

export const BatchResultRow = closed(
  {
    row: Type.Integer({ minimum: 1, description: 'From 1, in the order of the input.' }),
    input: nullable(Type.String({ description: 'Null where it was no usable text, and after an erasure.' })),
    status: Type.Enum(['found', 'not_found', 'invalid', 'failed']),
    error: nullable(Type.String({ description: 'A failure code.' })),
    source: nullable(Type.Enum(['live', 'store', 'stale_fallback'])),
    fetched_at: nullable(Moment),
    credits: Count,
    request_id: nullable(Type.String({ description: 'The call of this row, as in its receipt.' })),
    record: nullable(Type.Unknown({ description: 'The record, or its chosen `fields` by their paths.' })),
  },
  'One line of NDJSON.',
)
export type BatchResultRow = Static<typeof BatchResultRow>

export const ResultsQuery = Type.Object({
  format: Type.Optional(Type.Enum(['ndjson', 'csv'], { description: 'Wins over `Accept`.' })),
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'The last `row` that was read.' })),
})

export const BatchListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  after: Type.Optional(Type.String({ maxLength: 100 })),
})

export const BatchId = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const BatchResume = Type.Object({
  max_credits: Type.Optional(nullable(Type.Integer({ minimum: 0, description: 'A new limit; null removes it.' }))),
})
