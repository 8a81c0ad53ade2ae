import Type, { type Static } from 'typebox'
import { kinds } from './kinds.ts'
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
    seconds_left: nullable(Type.Integer({ minimum: 0, description: 'An estimate from the current pace.' })),
    pause_reason: nullable(Type.String({ description: 'A code such as `out_of_credits`.' })),
    resumed_by: nullable(Type.String({ description: 'How to resume a paused batch, in a sentence.' })),
    resumes_at: nullable(Moment),
    error: nullable(
      Type.String({ description: 'Why a failed batch failed: a code such as `revoked_api_key` or `paused_too_long`.' }),
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
  next: nullable(Type.String({ description: 'Pass it as `after` for older batches; null at the end.' })),
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
  'The expected person or company, as `expect.*` of the lookup.',
)

export const BatchRow = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'As at the lookup; without it the row is a match.' })),
    expect: Type.Optional(Expect),
    ...questions,
    ...inBatch,
  },
  {
    description:
      'An `id` with what is expected of its record, or the members of a match. All other members come back in the result under `columns`.',
  },
)

const names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

export const BatchSubmission = closed(
  {
    kind: Type.Enum([...kinds]),
    ids: Type.Array(Type.Union([Type.String(), BatchRow]), {
      minItems: 1,
      description:
        'Rows: slugs, URLs or ids, or objects, up to `VITAE_BATCH_ROWS`. One that stands here twice is paid once.',
    }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    max_credits: Type.Optional(Type.Integer({ minimum: 0, description: 'The batch never spends more than this.' })),
    max_age_days: Type.Optional(Type.Number({ minimum: 0 })),
    bypass_cache: Type.Optional(Type.Boolean()),
    include_contact_info: Type.Optional(Type.Boolean()),
    include_network_info: Type.Optional(Type.Boolean()),
    get_verification_details: Type.Optional(Type.Boolean()),
    fields: names('The top-level fields of records to return, as `fields` of the lookup.'),
    paths: names('Dotted paths to return instead of the record, such as `location.name`.'),
    require: names('Dotted paths that a record must have, as at the lookup.'),
    expect: Type.Optional(Expect),
    min_likelihood: PersonMatch.properties.min_likelihood,
  },
  'Rows to look up or to match, and how.',
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
  kind: Type.Optional(Type.Enum([...kinds], { description: 'Of CSV and NDJSON: the kind of record.' })),
  column: Type.Optional(Type.String({ description: 'Of CSV and NDJSON: the column with the ids.' })),
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
    Type.String({ description: `Of CSV and NDJSON: the column to read as \`${each}\`, if it has another name.` }),
  )
}

export const BatchPreview = closed(
  {
    rows: Count,
    distinct: Type.Integer({ minimum: 0, description: 'Different ids and different matches. Each is paid once.' }),
    invalid: Type.Integer({ minimum: 0, description: 'Rows that name nobody; they cost nothing.' }),
    stored: Type.Integer({
      minimum: 0,
      description: 'How many of these the store answers without a provider. Matches without an id are not counted.',
    }),
    highest_credits: Type.Integer({ minimum: 0, description: 'The cost of the batch if every row is found.' }),
    available_credits: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'The credits that this key can spend now: those of its environment, or those left under its ceilings if that is less. Null for a test key, which spends nothing.',
      }),
    ),
    estimated_seconds: Type.Integer({
      minimum: 0,
      description: 'By the rate limit of the key and the pace of batches; slow providers add to it.',
    }),
  },
  'The cost of a batch, computed without creating it.',
)
export type BatchPreview = Static<typeof BatchPreview>

export const BatchResultRow = closed(
  {
    row: Type.Integer({ minimum: 1, description: 'From 1, in the order of the input.' }),
    input: Type.Union([Type.String(), Type.Record(Type.String(), Type.String()), Type.Null()], {
      description: 'The id, or the members of the match. Null if the input was unusable, and after an erasure.',
    }),
    status: Type.Enum(['found', 'not_found', 'invalid', 'failed']),
    error: nullable(Type.String({ description: 'A failure code.' })),
    detail: nullable(Type.String({ description: 'What was wrong, with the name of the field.' })),
    source: nullable(Type.Enum(['live', 'store', 'stale_fallback'])),
    fetched_at: nullable(Moment),
    credits: Type.Integer({
      minimum: 0,
      description: 'What this row cost. Of rows that ask for the same, one shows the charge and the others 0.',
    }),
    request_id: nullable(
      Type.String({ description: 'The call of this row, as in its receipt; the same for all rows that it answers.' }),
    ),
    likelihood: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Of a match: its likelihood.' })),
    matched_on: nullable(Type.Array(Type.String(), { description: 'Of a match: the members that agreed.' })),
    columns: nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The columns of the submitted file, or what a row had beside its id or its match. Null = nothing.',
      }),
    ),
    record: nullable(Type.Unknown({ description: 'The record, cut to `fields`, or its chosen `paths`.' })),
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
