import Type, { type Static } from 'typebox'
import { kinds } from './records/kinds.ts'
import { CompanyMatch, PersonMatch } from './match.ts'
import { ProfileQuery } from './queries.ts'
import { closed, nullable, Text } from './shapes.ts'

const Moment = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })

/** The media types of a submitted batch. */
export const batchInputTypes = ['application/json', 'text/csv', 'application/x-ndjson'] as const
export const batchStatuses = ['queued', 'running', 'paused', 'completed', 'cancelled', 'failed'] as const
const Status = Type.Enum([...batchStatuses])

export const BatchCounts = closed({ found: Count, not_found: Count, invalid: Count, failed: Count, waiting: Count })
export type BatchCounts = Static<typeof BatchCounts>

export const SubmittedBatch = closed(
  { id: Type.String(), status: Status, total: Type.Integer({ minimum: 1 }), created_at: Moment },
  'A batch that was accepted: all of its input was read.',
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
    seconds_left: nullable(
      Type.Integer({
        minimum: 0,
        description: 'The estimated number of seconds until the batch ends, at its current speed.',
      }),
    ),
    pause_reason: nullable(
      Type.String({ description: 'The reason why the batch is paused: a code such as `out_of_credits`.' }),
    ),
    resumed_by: nullable(Type.String({ description: 'A sentence that says how to resume the paused batch.' })),
    resumes_at: nullable(Moment),
    error: nullable(
      Type.String({
        description: 'The reason why the batch failed: a code such as `revoked_api_key` or `paused_too_long`.',
      }),
    ),
    started_at: nullable(Moment),
    ended_at: nullable(Moment),
    expires_at: nullable(Moment),
  },
  'The progress of a batch.',
)
export type Batch = Static<typeof Batch>

export const BatchList = closed({
  batches: Type.Array(Batch),
  next: nullable(Type.String({ description: 'Send it as `after` to get older batches; null on the last page.' })),
})

/** The match signals of a row, named as in the body of a match. CSV columns with these names are used automatically. */
export const matchNames = {
  people: [
    'email',
    'phone',
    'first_name',
    'last_name',
    'name',
    'company',
    'company_domain',
    'company_id',
    'location',
    'profile_id',
  ],
  companies: ['name', 'domain', 'country', 'company_id'],
} as const

const { email, phone, first_name, last_name, company, company_domain, location, profile_id } = PersonMatch.properties
const { domain, country } = CompanyMatch.properties
const inBatch = { name: PersonMatch.properties.name, company_id: CompanyMatch.properties.company_id }
const questions = {
  email,
  phone,
  first_name,
  last_name,
  company,
  company_domain,
  location,
  profile_id,
  domain,
  country,
}

const Expect = closed(
  {
    last_name: ProfileQuery.properties['expect.last_name'],
    first_name: ProfileQuery.properties['expect.first_name'],
    company_name: ProfileQuery.properties['expect.company_name'],
    company_domain: ProfileQuery.properties['expect.company_domain'],
    country_code: ProfileQuery.properties['expect.country_code'],
  },
  'Facts about the person or company that you mean, as the `expect.*` parameters of the lookup.',
)

export const BatchRow = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'The identifier, as in the lookup. A row without `id` is a match.' })),
    expect: Type.Optional(Expect),
    ...questions,
    ...inBatch,
  },
  {
    description:
      'An `id` and optionally `expect`, or the members of a match. The result returns all other members under `columns`.',
  },
)

const names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const BatchSubmission = closed(
  {
    kind: Type.Enum([...kinds]),
    ids: Type.Array(Type.Union([Type.String(), BatchRow]), {
      minItems: 1,
      description: 'The rows: slugs, URLs, ids or objects, at most `VITAE_BATCH_ROWS`. Equal rows are paid once.',
    }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    max_credits: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The maximum number of credits that the batch may spend. At this limit the batch pauses.',
      }),
    ),
    max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
    bypass_cache: Type.Optional(Type.Boolean()),
    include_contact_info: Type.Optional(Type.Boolean()),
    include_network_info: Type.Optional(Type.Boolean()),
    get_verification_details: Type.Optional(Type.Boolean()),
    fields: names('The top-level fields of records to return, as `fields` of the lookup.'),
    paths: names('Dotted paths to return instead of the record, such as `location.name`.'),
    require: names('Dotted paths that a record must have, as `require` of the lookup.'),
    expect: Type.Optional(Expect),
    min_likelihood: PersonMatch.properties.min_likelihood,
  },
  'The rows to look up or to match, and the options for all rows.',
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
  min_likelihood,
} = BatchSubmission.properties
const { profile_id: _id, ...lookupQuery } = ProfileQuery.properties
const expectNames = Object.keys(Expect.properties).map((each) => `expect.${each}`)
const mapped = [...new Set([...matchNames.people, ...matchNames.companies, ...expectNames])]

/** The same settings in the query, for CSV and NDJSON, whose bodies contain only rows. */
export const BatchQuery = Type.Object({
  kind: Type.Optional(Type.Enum([...kinds], { description: 'The kind of record. Only for CSV and NDJSON.' })),
  column: Type.Optional(Type.String({ description: 'The column with the ids. Only for CSV and NDJSON.' })),
  name,
  max_credits,
  max_age_days,
  bypass_cache,
  include_contact_info,
  include_network_info,
  get_verification_details,
  fields: lookupQuery.fields,
  paths: Type.Optional(
    Type.String({
      description: 'Dotted paths to return instead of the record, separated by commas: `location.name`.',
    }),
  ),
  require: lookupQuery.require,
  'expect.last_name': lookupQuery['expect.last_name'],
  'expect.first_name': lookupQuery['expect.first_name'],
  'expect.company_name': lookupQuery['expect.company_name'],
  'expect.company_domain': lookupQuery['expect.company_domain'],
  'expect.country_code': lookupQuery['expect.country_code'],
  min_likelihood,
  ...Object.fromEntries(mapped.map((each) => [`map.${each}`, mapsTo(each)])),
})

/** The parameter that maps a column to a match signal or an expectation. */
function mapsTo(each: string) {
  return Type.Optional(
    Type.String({
      description: `The name of the column to read as \`${each}\`, if the column has another name. Only for CSV and NDJSON.`,
    }),
  )
}

export const BatchPreview = closed(
  {
    rows: Count,
    distinct: Type.Integer({
      minimum: 0,
      description: 'The number of different ids and different matches. Each of them is paid once.',
    }),
    invalid: Type.Integer({
      minimum: 0,
      description: 'The number of rows without a usable id or match. They cost nothing.',
    }),
    stored: Type.Integer({
      minimum: 0,
      description:
        'The number of `distinct` rows that the store answers without asking a provider. Matches without an id are not counted.',
    }),
    highest_credits: Type.Integer({
      minimum: 0,
      description: 'The maximum number of credits that the batch can cost: the cost if every row is found.',
    }),
    available_credits: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'The credits that this key can spend now: the credits of its environment, or what its ceilings leave if that is less. Null for a test key, which spends nothing.',
      }),
    ),
    estimated_seconds: Type.Integer({
      minimum: 0,
      description:
        'The minimum number of seconds that the batch takes, by the speed of batches on one node. Slow providers make it longer.',
    }),
  },
  'The cost of a batch, computed without creating it.',
)
export type BatchPreview = Static<typeof BatchPreview>

export const BatchResultRow = closed(
  {
    row: Type.Integer({ minimum: 1, description: 'The number of the row in the input, counted from 1.' }),
    input: Type.Union([Type.String(), Type.Record(Type.String(), Type.String()), Type.Null()], {
      description:
        'The id of the row, or the members of its match. Null if the row was unusable, and after an erasure.',
    }),
    status: Type.Enum(['found', 'not_found', 'invalid', 'failed']),
    error: nullable(Type.String({ description: 'The code of the failure; null if the row did not fail.' })),
    detail: nullable(Type.String({ description: 'The reason why the row failed, with the name of the field.' })),
    source: nullable(Type.Enum(['live', 'store', 'stale_fallback'])),
    fetched_at: nullable(Moment),
    credits: Type.Integer({
      minimum: 0,
      description: 'The credits that this row cost. Of several equal rows, one shows the charge and the others show 0.',
    }),
    request_id: nullable(
      Type.String({
        description: 'The id of the call that answered this row, as in the receipt. Equal rows have the same call.',
      }),
    ),
    likelihood: nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The likelihood of the match. Only for a row that is a match.',
      }),
    ),
    matched_on: nullable(
      Type.Array(Type.String(), {
        description: 'The members of the match that agreed with the record. Only for a row that is a match.',
      }),
    ),
    columns: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The other columns of the row in the submitted file, or the other members of its object. Null if it had no others.',
      }),
    ),
    record: nullable(
      Type.Unknown({
        description: 'The record, with only the requested `fields`, or the values of the requested `paths`.',
      }),
    ),
  },
  'The result of one row: one line of NDJSON.',
)
export type BatchResultRow = Static<typeof BatchResultRow>

export const ResultsQuery = Type.Object({
  format: Type.Optional(
    Type.Enum(['ndjson', 'csv'], {
      description: 'The format of the results. It takes precedence over the `Accept` header.',
    }),
  ),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The number of the last `row` that you have. The results begin with the row after it.',
    }),
  ),
})

export const BatchListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  after: Type.Optional(Type.String({ maxLength: 100 })),
})

export const BatchId = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const BatchResume = Type.Object({
  max_credits: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        description: 'The new maximum number of credits for the batch; null removes the limit.',
      }),
    ),
  ),
})
